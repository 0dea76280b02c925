// Package bedrock is the llm.Provider for models on Amazon Bedrock, by the Converse
// operation of the AWS SDK.
//
// The schema is sent as outputConfig.textFormat; a model that does not take it is
// told in words, from its first refusal on. Retries of the SDK are off, since
// [llm.Retried] makes them where they are recorded and paid for.
//
// It promises a bounded answer in bounded time, and no credentials in errors. Start
// with [New]; answer.go reads what comes back, failure.go has the table of errors.
package bedrock

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"pressroom/llm"
	"pressroom/llm/remote"
)

// Options configure a provider.
type Options struct {
	// Endpoint replaces the region's own; "" for that.
	Endpoint string
	// ContextTokens is the model's context, if known.
	ContextTokens int
	// HTTP, Timeout and MaxBody are as in remote.Options; a nil HTTP is a client of its
	// own.
	HTTP    *http.Client
	Timeout time.Duration
	MaxBody int64
}

// Provider asks one model on Bedrock.
type Provider struct {
	info    llm.Info
	client  *bedrockruntime.Client
	timeout time.Duration
	// inWords is learned: the model takes no schema.
	inWords atomic.Bool
}

// New returns a provider for a model or inference profile, such as
// "amazon.nova-lite-v1:0". Region and credentials are those of the configuration.
func New(config aws.Config, model string, o Options) *Provider {
	if o.Timeout == 0 {
		o.Timeout = remote.DefaultTimeout
	}
	if o.MaxBody == 0 {
		o.MaxBody = remote.DefaultMaxBody
	}
	client := bedrockruntime.NewFromConfig(config, func(b *bedrockruntime.Options) {
		b.Retryer = aws.NopRetryer{}
		b.HTTPClient = newClient(o.HTTP, o.MaxBody)
		if o.Endpoint != "" {
			b.BaseEndpoint = aws.String(o.Endpoint)
		}
	})
	return &Provider{
		info:    llm.Info{Provider: "bedrock", Model: model, ContextTokens: o.ContextTokens},
		client:  client,
		timeout: o.Timeout,
	}
}

// Info implements llm.Provider.
func (p *Provider) Info() llm.Info { return p.info }

// Generate implements llm.Provider. Converse takes no seed and a temperature of at
// most 1; a higher one is sent as 1.
func (p *Provider) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	call, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	start := time.Now()
	out, err := p.converse(ctx, call, req)
	if err != nil {
		return nil, err
	}
	return read(out).Response(p.info, start)
}

// converse sends the request, with the schema in words once the model has refused
// the parameter.
func (p *Provider) converse(ctx, call context.Context, req *llm.Request) (*bedrockruntime.ConverseOutput, error) {
	for {
		inWords := p.inWords.Load()
		out, err := p.client.Converse(call, p.input(req, inWords))
		if err == nil {
			return out, nil
		}
		failure := p.failure(ctx, call, err)
		if inWords || req.Schema == nil || !refusesSchema(failure) {
			return nil, failure
		}
		p.inWords.Store(true)
	}
}

// refusesSchema tells whether the model takes no output format.
func refusesSchema(err error) bool {
	if llm.KindOf(err) != llm.BadRequest {
		return false
	}
	text := strings.ToLower(err.Error())
	for _, words := range []string{"outputconfig", "output_config", "textformat", "structured output", "json_schema", "json schema"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

func (p *Provider) input(req *llm.Request, inWords bool) *bedrockruntime.ConverseInput {
	in := &bedrockruntime.ConverseInput{
		ModelId:         aws.String(p.info.Model),
		InferenceConfig: &types.InferenceConfiguration{MaxTokens: aws.Int32(int32(min(req.MaxOutput(), 1<<30)))},
	}
	if req.Temperature != nil {
		in.InferenceConfig.Temperature = aws.Float32(float32(min(*req.Temperature, 1)))
	}
	system := req.System
	switch {
	case req.Schema == nil:
	case inWords:
		system = strings.TrimSpace(system + "\n\n" + llm.SchemaInstruction(req.Schema))
	default:
		in.OutputConfig = &types.OutputConfig{TextFormat: &types.OutputFormat{
			Type: types.OutputFormatTypeJsonSchema,
			Structure: &types.OutputFormatStructureMemberJsonSchema{Value: types.JsonSchemaDefinition{
				Name: aws.String(req.Schema.Name()), Schema: aws.String(string(req.Schema.Loosened())),
			}},
		}}
	}
	if system != "" {
		in.System = []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: system}}
	}
	for _, m := range req.Conversation() {
		role := types.ConversationRoleUser
		if m.Role == llm.Assistant {
			role = types.ConversationRoleAssistant
		}
		in.Messages = append(in.Messages, types.Message{Role: role, Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: m.Text}}})
	}
	return in
}
