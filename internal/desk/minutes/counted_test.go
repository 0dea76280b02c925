package minutes

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/model"
)

// counted counts queries and the items that they read.
type counted struct {
	model.DB
	queries, items int
}

func (c *counted) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	out, err := c.DB.Query(ctx, in, o...)
	c.queries++
	if err == nil {
		c.items += int(out.ScannedCount)
	}
	return out, err
}
