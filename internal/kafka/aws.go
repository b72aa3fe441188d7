package kafka

import (
	"context"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/twmb/franz-go/pkg/sasl"
	msk "github.com/twmb/franz-go/pkg/sasl/aws"
)

// awsLogin is the login of AWS_MSK_IAM with the credentials that the AWS SDK finds: those of the environment, a web identity
// (IRSA) or Pod Identity. It keeps them until they expire.
func awsLogin() sasl.Mechanism {
	var mu sync.Mutex
	var provider aws.CredentialsProvider
	return msk.ManagedStreamingIAM(func(ctx context.Context) (msk.Auth, error) {
		mu.Lock()
		defer mu.Unlock()
		if provider == nil {
			found, err := config.LoadDefaultConfig(ctx)
			if err != nil {
				return msk.Auth{}, fmt.Errorf("AWS credentials: %w", err)
			}
			provider = found.Credentials
		}
		c, err := provider.Retrieve(ctx)
		if err != nil {
			return msk.Auth{}, fmt.Errorf("no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or check the role of the web identity or Pod Identity: %w", err)
		}
		return msk.Auth{AccessKey: c.AccessKeyID, SecretKey: c.SecretAccessKey, SessionToken: c.SessionToken}, nil
	})
}
