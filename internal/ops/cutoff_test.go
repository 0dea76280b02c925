package ops

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

func (c *cutOff) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if c.away.Load() {
		return nil, errAway
	}
	return c.DB.UpdateItem(ctx, in, o...)
}

func (c *cutOff) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if c.away.Load() {
		return nil, errAway
	}
	return c.DB.GetItem(ctx, in, o...)
}
