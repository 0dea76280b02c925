package attr

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// ItemToStreams is the item in the types of the SDK's streams client, in memory of its
// own.
func ItemToStreams(it Item) map[string]streamtypes.AttributeValue {
	return mapToStreams(ItemToSDK(it))
}

func mapToStreams(m map[string]types.AttributeValue) map[string]streamtypes.AttributeValue {
	out := make(map[string]streamtypes.AttributeValue, len(m))
	for name, av := range m {
		out[name] = toStreams(av)
	}
	return out
}

func toStreams(av types.AttributeValue) streamtypes.AttributeValue {
	switch av := av.(type) {
	case *types.AttributeValueMemberNULL:
		return &streamtypes.AttributeValueMemberNULL{Value: av.Value}
	case *types.AttributeValueMemberBOOL:
		return &streamtypes.AttributeValueMemberBOOL{Value: av.Value}
	case *types.AttributeValueMemberN:
		return &streamtypes.AttributeValueMemberN{Value: av.Value}
	case *types.AttributeValueMemberS:
		return &streamtypes.AttributeValueMemberS{Value: av.Value}
	case *types.AttributeValueMemberB:
		return &streamtypes.AttributeValueMemberB{Value: av.Value}
	case *types.AttributeValueMemberNS:
		return &streamtypes.AttributeValueMemberNS{Value: av.Value}
	case *types.AttributeValueMemberSS:
		return &streamtypes.AttributeValueMemberSS{Value: av.Value}
	case *types.AttributeValueMemberBS:
		return &streamtypes.AttributeValueMemberBS{Value: av.Value}
	case *types.AttributeValueMemberL:
		list := make([]streamtypes.AttributeValue, len(av.Value))
		for i, e := range av.Value {
			list[i] = toStreams(e)
		}
		return &streamtypes.AttributeValueMemberL{Value: list}
	case *types.AttributeValueMemberM:
		return &streamtypes.AttributeValueMemberM{Value: mapToStreams(av.Value)}
	}
	return nil
}
