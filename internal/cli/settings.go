package cli

import "pressroom/internal/desk"

// A setting is a flag that can also be given as an environment variable and in
// the settings file. Every flag of the structs below is one. Tags beyond kong's:
//
//	setting:"-"   a flag only: it says how one command prints, or confirms
//	seed:"NAME"   a second variable, named by the documents that define the data
//
// A setting of type Secret is masked when shown, and its variable has a _FILE
// variant. Hidden ones are left out of a command's help, to keep it short; "pressroom
// config" lists them all.

// Secret is a setting that does not show itself.
type Secret = desk.Secret

// commonSettings belong to every command that reads settings.
type commonSettings struct {
	ConfigFile string    `name:"config" placeholder:"FILE" help:"Read settings from this TOML file; ./pressroom.toml is read if it is there."`
	LogLevel   logLevel  `default:"info" placeholder:"LEVEL" help:"Log this and worse: debug, info, warn or error."`
	LogFormat  logFormat `default:"text" placeholder:"FORMAT" help:"Log as text or json."`
}

// storeSettings belong to the commands that open the embedded stores.
type storeSettings struct {
	Data    string `default:"${data}" help:"Keep all data in this directory; it is made if it is not there."`
	KeyFile string `placeholder:"FILE" help:"Encrypt the data with the keys in this file, the newest first. A directory is encrypted from its beginning or not at all."`
}

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
}

// endpointSettings are where outside programs speak DynamoDB and S3 to
// Pressroom, and the credentials that they must sign with.
type endpointSettings struct {
	AWSAddr            address `name:"aws-addr" default:"127.0.0.1:4566" help:"Serve DynamoDB and S3 on this address. Without credentials only programs on this machine are served, and no web pages."`
	AWSAccessKeyID     string  `name:"aws-access-key-id" hidden:"" placeholder:"KEY" help:"Access key that callers of the DynamoDB and S3 endpoint sign with."`
	AWSSecretAccessKey Secret  `name:"aws-secret-access-key" hidden:"" placeholder:"SECRET" help:"Secret of that access key."`
	AWSTLSCert         string  `name:"aws-tls-cert" hidden:"" placeholder:"FILE" help:"Serve DynamoDB and S3 over TLS with this certificate, in PEM, with those that it depends on."`
	AWSTLSKey          string  `name:"aws-tls-key" hidden:"" placeholder:"FILE" help:"Key of that certificate, in PEM."`
	AWSTLSMake         bool    `name:"aws-tls-make" hidden:"" help:"Make a certificate of its own and its key in those two files, if they are not there."`
}
