// Package azure is the llm.Provider for Azure OpenAI. It speaks the protocol of
// package openai to a deployment's address, with a resource key or with tokens of
// Microsoft Entra.
//
// It promises what package openai does. Start with [New].
package azure

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"pressroom/llm/openai"
	"pressroom/llm/remote"
)

// DefaultAPIVersion is the version of the API that is asked for.
const DefaultAPIVersion = "2024-10-21"

// Options configure a provider.
type Options struct {
	// Key is the resource's key, sent as api-key.
	Key string
	// Token, if set, is asked for a bearer token in place of the key.
	Token func(ctx context.Context) (string, error)
	// Model is the model behind the deployment, by which prices and token counts
	// go; "" means that the deployment is named after it.
	Model string
	// APIVersion is the api-version; "" means DefaultAPIVersion.
	APIVersion string
	// ContextTokens is the model's context, if known.
	ContextTokens int
	// HTTP, Timeout and MaxBody are as in remote.Options.
	HTTP    *http.Client
	Timeout time.Duration
	MaxBody int64
}

// New returns a provider for a deployment of the resource at the endpoint, such as
// https://example.openai.azure.com.
func New(endpoint, deployment string, o Options) *remote.Provider {
	if o.Model == "" {
		o.Model = deployment
	}
	if o.APIVersion == "" {
		o.APIVersion = DefaultAPIVersion
	}
	return openai.NewChat(o.Model, openai.Chat{
		Name: "azure", SendModel: deployment,
		Path: "/openai/deployments/" + url.PathEscape(deployment) + "/chat/completions?api-version=" + url.QueryEscape(o.APIVersion),
		Authorize: func(ctx context.Context, header http.Header) error {
			if o.Token == nil {
				header.Set("api-key", o.Key)
				return nil
			}
			token, err := o.Token(ctx)
			if err == nil {
				header.Set("Authorization", "Bearer "+token)
			}
			return err
		},
	}, remote.Options{Key: o.Key, BaseURL: endpoint, ContextTokens: o.ContextTokens, HTTP: o.HTTP, Timeout: o.Timeout, MaxBody: o.MaxBody})
}
