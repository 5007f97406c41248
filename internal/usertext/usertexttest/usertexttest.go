// Package usertexttest checks the texts that code writes for users.
package usertexttest

import (
	"regexp"
	"testing"
)

// What no text for users has: names of packages, options, functions and types of
// Go, raw errors, states of SQL, and verbs of fmt that were not filled in.
var forbidden = regexp.MustCompile(`(?i:\b(qed|sqlagent|searchagent|todoagent|toolagent|esquery|joinpath|secureview|sqldb|llm)\b)` +
	`|\b[a-z]\w*\.[A-Z]\w*|\b(With|Max|Err)[A-Z]\w*|\bOptions\b|(?i:SQLSTATE|\bnil\b|panic|goroutine|context canceled|deadline exceeded|\bjson\b|/[a-z]+/[a-z]+)` +
	`|%!|%[svdq]|\bbudget\b`)

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// Text reports a text that is not for users. what says where it is from.
func Text(t testing.TB, what, text string) {
	t.Helper()
	switch found := forbidden.FindString(text); {
	case text == "":
		t.Errorf("%s: the text is empty", what)
	case found != "":
		t.Errorf("%s: %q is for developers: %s", what, found, text)
	case placeholder.MatchString(text):
		t.Errorf("%s: a name is not replaced: %s", what, text)
	}
}
