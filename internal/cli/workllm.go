package cli

import (
	"context"
	"log/slog"
	"net/http"
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
	LLMTimeout    int      `name:"llm-timeout" default:"180" hidden:"" placeholder:"SECONDS" help:"How long an answer may take."`
}

// localModels are the addresses of servers on this machine that speak OpenAI's
// protocol.
var localModels = map[string]string{
	"ollama": "http://localhost:11434/v1", "vllm": "http://localhost:8000/v1", "llamacpp": "http://localhost:8080/v1",
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
	name, key := strings.ToLower(s.LLM), s.LLMKey.Reveal()
	timeout := time.Duration(s.LLMTimeout) * time.Second
	if name != "builtin" && s.LLMModel == "" {
		return nil, errs.New(errs.Usage, "name the model of %s with --llm-model", s.LLM)
	}
	client := &http.Client{}
	switch name {
	case "builtin":
		return builtin.New(), nil
	case "openai":
		return openai.New(s.LLMModel, openai.Options{Key: key, BaseURL: s.LLMURL, ContextTokens: s.LLMContext, HTTP: client, Timeout: timeout}), nil
	case "ollama", "vllm", "llamacpp":
		url := s.LLMURL
		if url == "" {
			url = localModels[name]
		}
		return openai.New(s.LLMModel, openai.Options{Key: key, BaseURL: url, Name: name, ContextTokens: s.LLMContext, HTTP: client, Timeout: timeout}), nil
	case "azure":
		if s.LLMURL == "" {
			return nil, errs.New(errs.Usage, "azure needs the address of its resource: set --llm-url")
		}
		return azure.New(s.LLMURL, s.LLMModel, azure.Options{Key: key, ContextTokens: s.LLMContext, HTTP: client, Timeout: timeout}), nil
	case "gemini":
		return gemini.New(s.LLMModel, gemini.Options{Key: key, BaseURL: s.LLMURL, ContextTokens: s.LLMContext, HTTP: client, Timeout: timeout}), nil
	case "anthropic":
		return anthropic.New(s.LLMModel, anthropic.Options{Key: key, BaseURL: s.LLMURL, ContextTokens: s.LLMContext, HTTP: client, Timeout: timeout}), nil
	case "bedrock":
		c, err := config.LoadDefaultConfig(ctx)
		if err != nil {
			return nil, errs.Wrap(err, errs.Unavailable, "cannot find the AWS settings: %v", err)
		}
		return bedrock.New(c, s.LLMModel, bedrock.Options{Endpoint: s.LLMURL, ContextTokens: s.LLMContext, Timeout: timeout}), nil
	}
	return nil, errs.New(errs.Usage, "no language model is called %s; there are builtin, openai, azure, gemini, anthropic, bedrock, ollama, vllm and llamacpp", s.LLM)
}
