// Package archtest keeps the shape of the module: who may import whom, one
// package comment per package, and no direct dependency without a reason. It
// reads source files and go.mod alone, so that its tests run on a machine that
// has Go and nothing else, and also when a package does not compile.
//
// It promises that a broken rule is reported with the file that breaks it and
// the reason for the rule. It checks itself: every rule is also run on a made-up
// module that breaks it.
//
// Start with the table in rules.go; check.go applies it to what tree.go read,
// deps.go compares the imports of other modules with docs/decisions.md.
package archtest
