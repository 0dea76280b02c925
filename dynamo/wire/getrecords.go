package wire

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"pressroom/dynamo/engine"
)

func getRecords(c *call) error {
	in := new(dynamodbstreams.GetRecordsInput)
	if err := c.decode(in); err != nil {
		return err
	}
	a, err := c.h.db.Load().GetRecords(c.ctx, in)
	if err != nil {
		return err
	}
	c.out = append(c.out, '{')
	if a.NextShardIterator != nil {
		c.key("NextShardIterator")
		c.string(*a.NextShardIterator)
	}
	c.key("Records")
	c.out = append(c.out, '[')
	for i := range a.Records {
		c.comma('[')
		c.record(&a.Records[i])
	}
	c.raw("]}")
	return nil
}

func (c *call) record(r *engine.Record) {
	c.raw(`{"awsRegion":`)
	c.string(c.h.region)
	c.raw(`,"dynamodb":{"ApproximateCreationDateTime":`)
	c.out = strconv.AppendInt(c.out, r.Time.Unix(), 10) // whole seconds, as the service tells
	c.itemMember("Keys", r.Keys)
	c.itemMember("NewImage", r.New)
	c.itemMember("OldImage", r.Old)
	c.key("SequenceNumber")
	c.string(r.Sequence)
	c.key("SizeBytes")
	c.out = strconv.AppendInt(c.out, r.Size, 10)
	c.key("StreamViewType")
	c.string(string(r.View))
	c.raw(`},"eventID":`)
	c.string(r.EventID)
	c.raw(`,"eventName":`)
	c.string(r.EventName)
	c.raw(`,"eventSource":"aws:dynamodb","eventVersion":"1.1"`)
	if r.Expired {
		c.raw(`,"userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"}`)
	}
	c.out = append(c.out, '}')
}
