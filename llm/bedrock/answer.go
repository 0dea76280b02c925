package bedrock

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"pressroom/llm"
)

func (p *Provider) response(out *bedrockruntime.ConverseOutput) (*llm.Response, error) {
	text, usage := textOf(out), usageOf(out.Usage)
	fail := func(kind llm.Kind, message string) error {
		return &llm.Error{Kind: kind, Provider: "bedrock", Model: p.info.Model, Message: message, Text: text, Usage: usage}
	}
	finish := llm.Stop
	switch out.StopReason {
	case types.StopReasonEndTurn:
	case types.StopReasonStopSequence:
		finish = llm.StopSequence
	case types.StopReasonMaxTokens:
		return nil, fail(llm.CutOff, "the answer is longer than its bound")
	case types.StopReasonGuardrailIntervened, types.StopReasonContentFiltered:
		return nil, fail(llm.Filtered, "the answer was stopped: "+string(out.StopReason))
	case types.StopReasonModelContextWindowExceeded:
		return nil, fail(llm.TooLong, "input and answer are longer than the context")
	case "refusal":
		return nil, fail(llm.Refused, "the model declined")
	default:
		return nil, fail(llm.Malformed, "stop reason "+string(out.StopReason))
	}
	if text == "" {
		return nil, fail(llm.Malformed, "no text")
	}
	return &llm.Response{Text: text, Provider: "bedrock", Model: p.info.Model, Finish: finish, Usage: usage}, nil
}

func textOf(out *bedrockruntime.ConverseOutput) string {
	message, ok := out.Output.(*types.ConverseOutputMemberMessage)
	if !ok {
		return ""
	}
	text := ""
	for _, block := range message.Value.Content {
		if b, ok := block.(*types.ContentBlockMemberText); ok {
			text += b.Value
		}
	}
	return text
}

// usageOf counts cached input, which the service counts beside the rest, as input.
func usageOf(u *types.TokenUsage) llm.Usage {
	if u == nil {
		return llm.Usage{}
	}
	cached := int(aws.ToInt32(u.CacheReadInputTokens))
	return llm.Usage{
		Input:       int(aws.ToInt32(u.InputTokens)) + cached + int(aws.ToInt32(u.CacheWriteInputTokens)),
		CachedInput: cached,
		Output:      int(aws.ToInt32(u.OutputTokens)),
	}
}
