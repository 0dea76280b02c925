package cli

// A setting is a flag that can also be given as an environment variable and in
// the settings file. Every flag of the structs below is one. Tags beyond kong's:
//
//	setting:"-"   a flag only: it says how one command prints, or confirms
//	seed:"NAME"   a second variable, named by the documents that define the data
//
// A setting of type Secret is masked when shown, and its variable has a _FILE
// variant. Hidden ones are left out of a command's help, to keep it short; "pressroom
// config" lists them all.

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
	blogSettings
	llmSettings
	recordSettings
	minutesJobSettings
	newswireDeskSettings
	lexiconDeskSettings
	searchSettings
	siteSettings
}

// nameSettings are the tables and buckets, under the names and variables that
// the documents which define them use.
type nameSettings struct {
	LLMTaskTable       string `name:"llm-task-table" seed:"LLM_TASK_TABLE" default:"PoliTopics-llm-tasks" hidden:"" help:"Table of the minutes desk's LLM tasks."`
	ArticleTable       string `name:"article-table-name" seed:"ARTICLE_TABLE_NAME" default:"PoliTopics-articles" hidden:"" help:"Table of the minutes desk's articles."`
	PromptBucket       string `name:"prompt-bucket-name" seed:"PROMPT_BUCKET_NAME" default:"politopics-prompts" hidden:"" help:"Bucket of the minutes desk's prompts and results."`
	ArticleAssetBucket string `name:"article-asset-bucket-name" seed:"ARTICLE_ASSET_BUCKET_NAME" default:"politopics-articles" hidden:"" help:"Bucket of the minutes desk's article assets."`
	SummanowTable      string `name:"summanow-table" seed:"SUMMANOW_TABLE" default:"summanow" hidden:"" help:"Table of the newswire desk."`
	SummanowBucket     string `name:"summanow-bucket" seed:"SUMMANOW_BUCKET" default:"summanow-artifacts" hidden:"" help:"Bucket of the newswire desk."`
	BlogTable          string `name:"blog-table" seed:"BLOG_TABLE" default:"blog" hidden:"" help:"Table of the blog desk."`
	BlogMediaBucket    string `name:"blog-media-bucket" seed:"BLOG_MEDIA_BUCKET" default:"blog-media" hidden:"" help:"Bucket of the blog desk's media."`
	UsersTable         string `name:"users-table" seed:"USERS_TABLE" default:"UsersTable" hidden:"" help:"Table of the lexicon desk's users."`
	TranslationsTable  string `name:"translations-table" seed:"TRANSLATIONS_TABLE" default:"TranslationsTable" hidden:"" help:"Table of the lexicon desk's translations."`
	SubmissionsTable   string `name:"submissions-table" seed:"SUBMISSIONS_TABLE" default:"SubmissionsTable" hidden:"" help:"Table of the lexicon desk's submissions."`
	LexiconTable       string `name:"lexicon-table" seed:"LEXICON_TABLE" default:"LexiconTable" hidden:"" help:"Table of the lexicon desk's terms."`
	TrendingTable      string `name:"trending-table" seed:"TRENDING_TABLE" default:"TrendingTable" hidden:"" help:"Table of the lexicon desk's trends."`
	ReplaysTable       string `name:"replays-table" seed:"REPLAYS_TABLE" default:"Replays" hidden:"" help:"Table of the answers to requests that must be done once."`
	OperationsTable    string `name:"operations-table" seed:"OPERATIONS_TABLE" default:"Operations" hidden:"" help:"Table of jobs, their history and what operators did."`
}

// endpointSettings are where outside programs speak DynamoDB and S3 to
// Pressroom, and the credentials that they must sign with.
type endpointSettings struct {
	AWSAddr            address `name:"aws-addr" default:"127.0.0.1:4566" help:"Serve DynamoDB and S3 on this address. Without credentials only programs on this machine are served, and no web pages."`
	AWSAccessKeyID     string  `name:"aws-access-key-id" hidden:"" placeholder:"KEY" help:"Access key that callers of the DynamoDB and S3 endpoint sign with."`
	AWSSecretAccessKey Secret  `name:"aws-secret-access-key" hidden:"" placeholder:"SECRET" help:"Secret of that access key."`
	AWSTLSCert         string  `name:"aws-tls-cert" hidden:"" placeholder:"FILE" help:"Serve DynamoDB and S3 over TLS with this certificate, in PEM, with those that it depends on."`
	AWSTLSKey          string  `name:"aws-tls-key" hidden:"" placeholder:"FILE" help:"Key of that certificate, in PEM."`
}
