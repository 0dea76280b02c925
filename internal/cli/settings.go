package cli

import (
	"pressroom/internal/local"
	"pressroom/internal/setting"
)

// A setting is a flag that can also be given as an environment variable and in
// the settings file; see package setting. Every flag of the structs below is one.
// Hidden ones are left out of a command's help, to keep it short; "pressroom
// config" lists them all.

// What the settings of several packages are made of.
type (
	Secret           = setting.Secret
	address          = setting.Address
	commonSettings   = setting.Common
	storeSettings    = local.StoreSettings
	fileSettings     = local.FileSettings
	endpointSettings = local.EndpointSettings
)

// serverSettings belong to the commands that serve.
type serverSettings struct {
	Addr  address    `default:"127.0.0.1:8080" help:"Serve pages and JSON on this address."`
	Run   duties     `default:"all" help:"What this process does: web (pages and JSON), worker (summaries, trends, what the clock asks for), crawler (asking sites), or several with commas; all by default. What it does not do, other processes on the same store do."`
	Drain drainDelay `default:"0s" help:"On shutdown, keep serving this long with /readyz at 503, so that a load balancer can look away; at most 5s."`

	targetSettings
	commonSettings
	nameSettings
	endpointSettings
	llmSettings
	deskSettings
	searchSettings
	siteSettings
	mailSettings
	rightsSettings
}
