package kafka

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"confab/internal/files"
)

// The supported SASL mechanisms.
const (
	MechanismPlain       = "PLAIN"
	MechanismScramSHA256 = "SCRAM-SHA-256"
	MechanismScramSHA512 = "SCRAM-SHA-512"
	MechanismOAuth       = "OAUTHBEARER"
	MechanismAWS         = "AWS_MSK_IAM"
)

// maxFileBytes bounds a file with a password or a token.
const maxFileBytes = 64 << 10

// SASL is a login. Its files are read at every login.
type SASL struct {
	Mechanism    string // "" for none, or one of the Mechanism constants in any case
	User         string // of PLAIN and SCRAM
	Password     string
	PasswordFile string // overrides Password
	OAuth        OAuth  // of OAUTHBEARER
}

// OAuth is where the access token of OAUTHBEARER comes from (RFC 7628, KIP-255).
type OAuth struct {
	TokenFile  string                                    // holds the token; or
	Fetch      func(ctx context.Context) (string, error) // fetches one, and keeps it until it expires
	Source     string                                    // what Fetch uses, for errors
	Extensions map[string]string                         // sent with the token
}

// Source says where the credential comes from, for errors; "" without a login.
func (s *SASL) Source() string {
	switch mechanism := strings.ToUpper(s.Mechanism); {
	case mechanism == "":
		return ""
	case mechanism == MechanismAWS:
		return "the environment, a web identity or the container's endpoint"
	case mechanism == MechanismOAuth && s.OAuth.TokenFile != "":
		return "kafka.sasl.oauth.token_file " + s.OAuth.TokenFile
	case mechanism == MechanismOAuth:
		return s.OAuth.Source
	case s.PasswordFile != "":
		return "kafka.sasl.password_file " + s.PasswordFile
	default:
		return "kafka.sasl.password"
	}
}

// checkFiles reads the files of the login once.
func (s *SASL) checkFiles() error {
	_, err := s.password()
	if s.OAuth.TokenFile != "" {
		_, err = s.OAuth.fileToken()
	}
	return err
}

// password returns the current password, without a trailing line break of the file.
func (s *SASL) password() (string, error) {
	if s.PasswordFile == "" {
		return s.Password, nil
	}
	b, err := files.Read(s.PasswordFile, maxFileBytes)
	if err != nil {
		return "", fmt.Errorf("kafka: read SASL password: %w", err)
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}

// Login returns the mechanism of a valid login.
func (s SASL) Login() sasl.Mechanism {
	asScram := func(context.Context) (scram.Auth, error) {
		pass, err := s.password()
		return scram.Auth{User: s.User, Pass: pass}, err
	}
	switch strings.ToUpper(s.Mechanism) {
	case MechanismScramSHA256:
		return scram.Sha256(asScram)
	case MechanismScramSHA512:
		return scram.Sha512(asScram)
	case MechanismOAuth:
		return bearer{oauth.Oauth(func(ctx context.Context) (oauth.Auth, error) {
			token, err := s.OAuth.token(ctx)
			return oauth.Auth{Token: token, Extensions: s.OAuth.Extensions}, err
		})}
	case MechanismAWS:
		return awsLogin()
	default:
		return plain.Plain(func(context.Context) (plain.Auth, error) {
			pass, err := s.password()
			return plain.Auth{User: s.User, Pass: pass}, err
		})
	}
}

// token returns the current access token.
func (o *OAuth) token(ctx context.Context) (string, error) {
	if o.TokenFile == "" {
		return o.Fetch(ctx)
	}
	return o.fileToken()
}

// fileToken reads the token from its file.
func (o *OAuth) fileToken() (string, error) {
	b, err := files.Read(o.TokenFile, maxFileBytes)
	if err != nil {
		return "", fmt.Errorf("kafka: read access token: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if token == "" {
		return "", fmt.Errorf("kafka: %s is empty: write the access token into it", o.TokenFile)
	}
	return token, nil
}

// bearer is OAUTHBEARER of the library, which takes a broker's refusal for a faulty answer.
type bearer struct{ sasl.Mechanism }

// Authenticate implements sasl.Mechanism.
func (b bearer) Authenticate(ctx context.Context, host string) (sasl.Session, []byte, error) {
	session, first, err := b.Mechanism.Authenticate(ctx, host)
	return &bearerSession{Session: session}, first, err
}

type bearerSession struct {
	sasl.Session
	refused bool // the refusal has been answered
}

// Challenge answers a refusal as RFC 7628 requires, section 3.2.3. The broker then says SASL_AUTHENTICATION_FAILED.
func (b *bearerSession) Challenge(reply []byte) (done bool, answer []byte, err error) {
	if len(reply) > 0 && !b.refused {
		b.refused = true
		return false, []byte{1}, nil
	}
	return b.Session.Challenge(reply)
}
