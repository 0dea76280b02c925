package attr

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"
)

// number is a number as a test knows it: digits × 10^exponent of the first of them.
type number struct {
	negative bool
	digits   string // no leading or trailing zeros; empty for zero
	exponent int
}

func (n number) rat() *big.Rat {
	if n.digits == "" {
		return new(big.Rat)
	}
	i, _ := new(big.Int).SetString(n.digits, 10)
	shift := n.exponent - len(n.digits) + 1
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(shift, -shift))), nil)
	r := new(big.Rat).SetInt(i)
	if shift >= 0 {
		r.Mul(r, new(big.Rat).SetInt(power))
	} else {
		r.Quo(r, new(big.Rat).SetInt(power))
	}
	if n.negative {
		r.Neg(r)
	}
	return r
}

// scientific is one way to write n, with an exponent.
func (n number) scientific() string {
	sign := ""
	if n.negative {
		sign = "-"
	}
	if n.digits == "" {
		return sign + "0e7"
	}
	return fmt.Sprintf("%s%s.%sE%+d", sign, n.digits[:1], n.digits[1:], n.exponent)
}

// plain is another, with zeros that say nothing.
func (n number) plain() string {
	sign := "+"
	if n.negative {
		sign = "-"
	}
	switch k := len(n.digits); {
	case k == 0:
		return sign + "000.00"
	case n.exponent < 0:
		return sign + "00." + strings.Repeat("0", -1-n.exponent) + n.digits + "000"
	case n.exponent+1 >= k:
		return sign + "0" + n.digits + strings.Repeat("0", n.exponent+1-k) + "."
	default:
		return sign + n.digits[:n.exponent+1] + "." + n.digits[n.exponent+1:] + "0"
	}
}

func genNumber() *rapid.Generator[number] {
	return rapid.Custom(func(t *rapid.T) number {
		if rapid.IntRange(0, 9).Draw(t, "zero") == 0 {
			return number{negative: rapid.Bool().Draw(t, "negative")}
		}
		digits := rapid.StringMatching(`[1-9]([0-9]{0,36}[1-9])?`).Draw(t, "digits")
		exponent := rapid.OneOf(rapid.IntRange(-4, 6), rapid.IntRange(minExponent, maxExponent)).Draw(t, "exponent")
		return number{rapid.Bool().Draw(t, "negative"), digits, exponent}
	})
}

func genText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "b", "ab", "a\x00", "a\x00\xff", "\"\\\n", "日本語", "😀"}),
		rapid.String(),
		rapid.StringMatching(`[a-z \\"]{100,300}`),
	).Filter(func(s string) bool { return strings.ToValidUTF8(s, "") == s })
}

func genBytes() *rapid.Generator[[]byte] {
	return rapid.OneOf(
		rapid.SampledFrom([][]byte{{}, {0}, {0, 0}, {0, 1}, {0, 0xff}, {1}, {0xff}}),
		rapid.SliceOfN(rapid.Byte(), 0, 200),
	)
}

// genSDK draws a value of the SDK's types that DynamoDB accepts, with lists and maps at most
// depth deep.
func genSDK(depth int) *rapid.Generator[types.AttributeValue] {
	return rapid.Custom(func(t *rapid.T) types.AttributeValue {
		last := 7
		if depth > 0 {
			last = 9
		}
		switch rapid.IntRange(0, last).Draw(t, "kind") {
		case 0:
			return &types.AttributeValueMemberNULL{Value: true}
		case 1:
			return &types.AttributeValueMemberBOOL{Value: rapid.Bool().Draw(t, "bool")}
		case 2:
			return &types.AttributeValueMemberN{Value: genCanonical().Draw(t, "n")}
		case 3, 4:
			return &types.AttributeValueMemberS{Value: genText().Draw(t, "s")}
		case 5:
			return &types.AttributeValueMemberB{Value: genBytes().Draw(t, "b")}
		case 6:
			if rapid.Bool().Draw(t, "numbers") {
				return &types.AttributeValueMemberNS{Value: rapid.SliceOfNDistinct(genCanonical(), 1, 40, rapid.ID).Draw(t, "ns")}
			}
			return &types.AttributeValueMemberSS{Value: rapid.SliceOfNDistinct(genText(), 1, 40, rapid.ID).Draw(t, "ss")}
		case 7:
			return &types.AttributeValueMemberBS{Value: rapid.SliceOfNDistinct(genBytes(), 1, 10, func(b []byte) string { return string(b) }).Draw(t, "bs")}
		case 8:
			return &types.AttributeValueMemberL{Value: rapid.SliceOfN(genSDK(depth-1), 0, 5).Draw(t, "l")}
		default:
			return &types.AttributeValueMemberM{Value: genItem(depth-1).Draw(t, "m")}
		}
	})
}

// genCanonical draws a number in the form in which it is answered.
func genCanonical() *rapid.Generator[string] {
	return rapid.Map(genNumber(), func(n number) string {
		v, err := NewNumber(n.plain())
		if err != nil {
			panic(err)
		}
		return v.Number()
	})
}

func genItem(depth int) *rapid.Generator[map[string]types.AttributeValue] {
	name := genText().Filter(func(s string) bool { return s != "" })
	return rapid.MapOfN(name, genSDK(depth), 0, 30)
}

func genValue(depth int) *rapid.Generator[Value] {
	return rapid.Map(genSDK(depth), func(av types.AttributeValue) Value {
		v, err := FromSDK(av)
		if err != nil {
			panic(err)
		}
		return v
	})
}
