package attr

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo/token"
)

// TestAbyss nests lists and maps around a text, which both readers must find too deep at
// the same level, and abysmal at another.
func TestAbyss(t *testing.T) {
	for _, c := range []struct {
		depth         int
		deep, abysmal bool
	}{{31, false, false}, {32, true, false}, {62, true, false}, {63, true, true}, {100, true, true}} {
		text := strings.Repeat(`{"M":{"n{\"":{"L":[`, c.depth/2) + strings.Repeat(`{"L":[`, c.depth%2) + `{"S":"]}]}"}` +
			strings.Repeat(`]}`, c.depth%2) + strings.Repeat(`]}}}`, c.depth/2)
		var value types.AttributeValue = &types.AttributeValueMemberS{Value: "]}]}"}
		for i := range c.depth {
			if (i+c.depth)%2 == 0 {
				value = &types.AttributeValueMemberL{Value: []types.AttributeValue{value}}
			} else {
				value = &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"n{\"": value}}
			}
		}
		_, fromJSON := ParseJSON(token.NewReader([]byte(text)))
		_, fromSDK := FromSDK(value)
		for from, err := range map[string]error{"JSON": fromJSON, "the SDK": fromSDK} {
			var e *InvalidError
			if deep := errors.As(err, &e); deep != c.deep || err != nil && !deep {
				t.Errorf("%d levels from %s: %v", c.depth, from, err)
			} else if deep && e.Abysmal != c.abysmal {
				t.Errorf("%d levels from %s: abysmal %v", c.depth, from, e.Abysmal)
			}
		}
	}
}
