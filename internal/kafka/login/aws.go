package login

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/sasl/aws"

	"confab/internal/files"
)

const (
	awsTimeout  = 10 * time.Second
	maxAWSReply = 64 << 10
	// awsEarly is how long before they expire credentials are fetched again.
	awsEarly = 5 * time.Minute
)

// AWS finds credentials for AWS_MSK_IAM as the SDKs do in a container: keys in the environment, a web identity (IRSA), or the
// container's endpoint (EKS Pod Identity, ECS). Instance metadata, profiles and single sign-on are not supported: the SDK of
// AWS would enlarge the binary by a fifth.
type AWS struct {
	Environment []string // NAME=value

	stsURL string // of tests
	cache  *awsCache
}

// awsCache keeps fetched credentials until they expire.
type awsCache struct {
	mu      sync.Mutex
	auth    aws.Auth
	expires time.Time
}

// NewAWS returns the credentials of an environment.
func NewAWS(environment []string) AWS { return AWS{Environment: environment, cache: &awsCache{}} }

func (a *AWS) env(name string) string {
	for _, entry := range a.Environment {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// auth returns valid credentials. Errors name where they come from and quote none of them.
func (a *AWS) auth(ctx context.Context) (aws.Auth, error) {
	if key := a.env("AWS_ACCESS_KEY_ID"); key != "" {
		return aws.Auth{AccessKey: key, SecretKey: a.env("AWS_SECRET_ACCESS_KEY"), SessionToken: a.env("AWS_SESSION_TOKEN")}, nil
	}
	if a.cache == nil {
		a.cache = &awsCache{}
	}
	a.cache.mu.Lock()
	defer a.cache.mu.Unlock()
	if time.Until(a.cache.expires) > awsEarly {
		return a.cache.auth, nil
	}
	auth, expires, err := a.fetch(ctx)
	if err != nil {
		return aws.Auth{}, err
	}
	a.cache.auth, a.cache.expires = auth, expires
	return auth, nil
}

func (a *AWS) fetch(ctx context.Context) (aws.Auth, time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, awsTimeout)
	defer cancel()
	switch {
	case a.env("AWS_WEB_IDENTITY_TOKEN_FILE") != "":
		return a.webIdentity(ctx)
	case a.env("AWS_CONTAINER_CREDENTIALS_FULL_URI") != "":
		return a.container(ctx, a.env("AWS_CONTAINER_CREDENTIALS_FULL_URI"))
	case a.env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != "":
		return a.container(ctx, "http://169.254.170.2"+a.env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"))
	}
	return aws.Auth{}, time.Time{}, errors.New("no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, " +
		"or run with a web identity (AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN) or Pod Identity (AWS_CONTAINER_CREDENTIALS_FULL_URI)")
}

// webIdentity exchanges the token of a service account for credentials (AssumeRoleWithWebIdentity, an unsigned request).
func (a *AWS) webIdentity(ctx context.Context) (aws.Auth, time.Time, error) {
	const source = "AWS web identity"
	token, err := files.Read(a.env("AWS_WEB_IDENTITY_TOKEN_FILE"), maxFileBytes)
	if err != nil {
		return aws.Auth{}, time.Time{}, fmt.Errorf("%s: AWS_WEB_IDENTITY_TOKEN_FILE: %w", source, err)
	}
	address := a.stsURL
	if address == "" {
		region := a.env("AWS_REGION")
		if region == "" {
			return aws.Auth{}, time.Time{}, fmt.Errorf("%s: AWS_REGION is not set", source)
		}
		address = "https://sts." + region + ".amazonaws.com/"
	}
	session := a.env("AWS_ROLE_SESSION_NAME")
	if session == "" {
		session = "confab"
	}
	form := url.Values{
		"Action": {"AssumeRoleWithWebIdentity"}, "Version": {"2011-06-15"}, "RoleArn": {a.env("AWS_ROLE_ARN")},
		"RoleSessionName": {session}, "WebIdentityToken": {strings.TrimSpace(string(token))},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return aws.Auth{}, time.Time{}, fmt.Errorf("%s: %w", source, err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	text, err := askAWS(req, source)
	if err != nil {
		return aws.Auth{}, time.Time{}, err
	}
	var reply struct {
		AccessKeyID     string    `xml:"AssumeRoleWithWebIdentityResult>Credentials>AccessKeyId"`
		SecretAccessKey string    `xml:"AssumeRoleWithWebIdentityResult>Credentials>SecretAccessKey"`
		SessionToken    string    `xml:"AssumeRoleWithWebIdentityResult>Credentials>SessionToken"`
		Expiration      time.Time `xml:"AssumeRoleWithWebIdentityResult>Credentials>Expiration"`
	}
	if err := xml.Unmarshal(text, &reply); err != nil || reply.AccessKeyID == "" {
		return aws.Auth{}, time.Time{}, fmt.Errorf("%s: the reply of %s has no credentials", source, req.URL.Host)
	}
	return aws.Auth{AccessKey: reply.AccessKeyID, SecretKey: reply.SecretAccessKey, SessionToken: reply.SessionToken}, reply.Expiration, nil
}

// container asks the endpoint that the environment names.
func (a *AWS) container(ctx context.Context, address string) (aws.Auth, time.Time, error) {
	const source = "AWS container credentials"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return aws.Auth{}, time.Time{}, fmt.Errorf("%s: the address is malformed", source)
	}
	token := a.env("AWS_CONTAINER_AUTHORIZATION_TOKEN")
	if file := a.env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" {
		text, err := files.Read(file, maxFileBytes)
		if err != nil {
			return aws.Auth{}, time.Time{}, fmt.Errorf("%s: AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: %w", source, err)
		}
		token = strings.TrimSpace(string(text))
	}
	if token != "" {
		req.Header.Set("Authorization", token)
	}
	text, err := askAWS(req, source)
	if err != nil {
		return aws.Auth{}, time.Time{}, err
	}
	var reply struct {
		AccessKeyID     string    `json:"AccessKeyId"`
		SecretAccessKey string    `json:"SecretAccessKey"`
		Token           string    `json:"Token"`
		Expiration      time.Time `json:"Expiration"`
	}
	if err := json.Unmarshal(text, &reply); err != nil || reply.AccessKeyID == "" {
		return aws.Auth{}, time.Time{}, fmt.Errorf("%s: the reply of %s has no credentials", source, req.URL.Host)
	}
	return aws.Auth{AccessKey: reply.AccessKeyID, SecretKey: reply.SecretAccessKey, SessionToken: reply.Token}, reply.Expiration, nil
}

// askAWS sends a request without following redirects, which could lead the token elsewhere.
func askAWS(req *http.Request, source string) ([]byte, error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s: %s does not answer: %w", source, req.URL.Host, errors.Unwrap(err))
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAWSReply))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: read reply of %s: %w", source, req.URL.Host, err)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s: %s answers %s: check the role and its trust policy", source, req.URL.Host, resp.Status)
	}
	return text, nil
}
