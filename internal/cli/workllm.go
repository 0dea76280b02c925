package cli

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"

	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/llm"
	"pressroom/llm/anthropic"
	"pressroom/llm/azure"
	"pressroom/llm/bedrock"
	"pressroom/llm/builtin"
	"pressroom/llm/gemini"
	"pressroom/llm/openai"
	"pressroom/llm/remote"
)

// llmSettings choose the language model, and what it may cost.
type llmSettings struct {
	LLM           string   `name:"llm" default:"builtin" placeholder:"NAME" help:"The language model's service: builtin (offline, quotes instead of writing), openai, azure, gemini, anthropic, bedrock, ollama, vllm or llamacpp."`
	LLMModel      string   `name:"llm-model" placeholder:"NAME" help:"The model; with azure the deployment."`
	LLMKey        Secret   `name:"llm-key" placeholder:"KEY" help:"The service's key."`
	LLMURL        string   `name:"llm-url" hidden:"" placeholder:"URL" help:"Where the service is, if not at its usual address; azure needs it."`
	LLMBudgetDay  float64  `name:"llm-budget-day" hidden:"" placeholder:"USD" help:"The most that calls may cost in a day; 0 for no limit."`
	LLMBudgetRun  float64  `name:"llm-budget-run" hidden:"" placeholder:"USD" help:"The most that one task may cost; 0 for no limit."`
	LLMBudgetDesk []string `name:"llm-budget-desk" hidden:"" placeholder:"DESK=USD" help:"The most that the calls of a desk may cost in a day, such as minutes=2.50; may be repeated."`
	LLMPerMinute  int      `name:"llm-requests-per-minute" hidden:"" placeholder:"N" help:"The most calls in a minute; 0 for no limit."`
	LLMConcurrent int      `name:"llm-concurrent" default:"16" hidden:"" placeholder:"N" help:"The most calls at once."`
	LLMContext    int      `name:"llm-context-tokens" hidden:"" placeholder:"N" help:"The model's context in tokens, if it is small."`
	LLMUnproved   string   `name:"llm-unproved" default:"cut" enum:"cut,review" hidden:"" placeholder:"cut|review" help:"What becomes of sentences that the source neither proves nor contradicts: cut leaves them out, review waits for a person. What the source contradicts is never published."`
	LLMTimeout    int      `name:"llm-timeout" default:"180" hidden:"" placeholder:"SECONDS" help:"How long an answer may take."`
}

// service is a service of language models that can be chosen.
type service struct {
	name string
	open func(ctx context.Context, model string, o remote.Options) (llm.Provider, error)
	url  string // where it is, if that is not the protocol's own address
}

// services are all that --llm can name. Servers on this machine speak OpenAI's
// protocol.
var services = []service{
	{name: "builtin", open: func(context.Context, string, remote.Options) (llm.Provider, error) { return builtin.New(), nil }},
	{name: "openai", open: speaking(openai.New)},
	{name: "azure", open: func(_ context.Context, model string, o remote.Options) (llm.Provider, error) {
		if o.BaseURL == "" {
			return nil, errs.New(errs.Usage, "azure needs the address of its resource: set --llm-url")
		}
		return azure.New(o.BaseURL, model, azure.Options{Key: o.Key, ContextTokens: o.ContextTokens, HTTP: o.HTTP, Timeout: o.Timeout}), nil
	}},
	{name: "gemini", open: speaking(gemini.New)},
	{name: "anthropic", open: speaking(anthropic.New)},
	{name: "bedrock", open: func(ctx context.Context, model string, o remote.Options) (llm.Provider, error) {
		c, err := config.LoadDefaultConfig(ctx)
		if err != nil {
			return nil, errs.Wrap(err, errs.Unavailable, "cannot find the AWS settings: %v", err)
		}
		return bedrock.New(c, model, bedrock.Options{Endpoint: o.BaseURL, ContextTokens: o.ContextTokens, Timeout: o.Timeout}), nil
	}},
	{name: "ollama", open: speaking(openai.New), url: "http://localhost:11434/v1"},
	{name: "vllm", open: speaking(openai.New), url: "http://localhost:8000/v1"},
	{name: "llamacpp", open: speaking(openai.New), url: "http://localhost:8080/v1"},
}

// speaking is a service of which the protocol is all there is to know.
func speaking(open func(string, remote.Options) *remote.Provider) func(context.Context, string, remote.Options) (llm.Provider, error) {
	return func(_ context.Context, model string, o remote.Options) (llm.Provider, error) {
		return open(model, o), nil
	}
}

// serviceNames lists the services for people.
func serviceNames() string {
	names := make([]string, len(services))
	for i, s := range services {
		names[i] = s.name
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// provider returns the configured model in all its wrappers. What it costs is kept
// in the ledger, and so is a record of every call.
func (s llmSettings) provider(ctx context.Context, ledger *ops.Ledger, log *slog.Logger) (llm.Provider, error) {
	p, err := s.bare(ctx)
	if err != nil {
		return nil, err
	}
	budgets, err := s.budgets()
	if err != nil {
		return nil, err
	}
	kept := books{ledger, log}
	return llm.New(p, llm.Options{
		Limits:  llm.Limits{RequestsPerMinute: s.LLMPerMinute, Concurrent: s.LLMConcurrent},
		Budgets: budgets, Ledger: kept, Recorder: kept,
	}), nil
}

func (s llmSettings) bare(ctx context.Context) (llm.Provider, error) {
	name := strings.ToLower(s.LLM)
	i := slices.IndexFunc(services, func(s service) bool { return s.name == name })
	if i < 0 {
		return nil, errs.New(errs.Usage, "no language model is called %s; there are %s", s.LLM, serviceNames())
	}
	if name != "builtin" && s.LLMModel == "" {
		return nil, errs.New(errs.Usage, "name the model of %s with --llm-model", s.LLM)
	}
	o := remote.Options{
		Key: s.LLMKey.Reveal(), BaseURL: cmp.Or(s.LLMURL, services[i].url), ContextTokens: s.LLMContext,
		HTTP: &http.Client{}, Timeout: time.Duration(s.LLMTimeout) * time.Second,
	}
	if services[i].url != "" {
		o.Name = name
	}
	return services[i].open(ctx, s.LLMModel, o)
}
