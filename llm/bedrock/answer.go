package bedrock

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"pressroom/llm"
	"pressroom/llm/remote"
)

func read(out *bedrockruntime.ConverseOutput) remote.Reading {
	r := remote.Reading{Text: textOf(out), Usage: usageOf(out.Usage)}
	switch out.StopReason {
	case types.StopReasonEndTurn:
		return r
	case types.StopReasonStopSequence:
		r.Finish = llm.StopSequence
		return r
	case types.StopReasonMaxTokens:
		return r.Failed(llm.CutOff, "the answer is longer than its bound")
	case types.StopReasonGuardrailIntervened, types.StopReasonContentFiltered:
		return r.Failed(llm.Filtered, "the answer was stopped: "+string(out.StopReason))
	case types.StopReasonModelContextWindowExceeded:
		return r.Failed(llm.TooLong, "input and answer are longer than the context")
	case "refusal":
		return r.Failed(llm.Refused, "the model declined")
	default:
		return r.Failed(llm.Malformed, "stop reason "+string(out.StopReason))
	}
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
