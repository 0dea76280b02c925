module pressroom/ci/tokens

go 1.26.8

require (
	github.com/tiktoken-go/tokenizer v0.10.0
	pressroom v0.0.0
)

require (
	github.com/dlclark/regexp2/v2 v2.5.1 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
)

replace pressroom => ../..
