// Package usertexttest checks the texts that code writes for users.
package usertexttest

import (
	"regexp"
	"slices"
	"testing"

	"github.com/qedkit/qed/internal/usertext"
)

// What no text for users has: names of packages, options, functions and types of
// Go, raw errors, states of SQL, and verbs of fmt that were not filled in.
var forbidden = regexp.MustCompile(`(?i:\b(qed|sqlagent|searchagent|todoagent|toolagent|esquery|joinpath|secureview|sqldb|llm)\b)` +
	`|\b[a-z]\w*\.[A-Z]\w*|\b(With|Max|Err)[A-Z]\w*|\bOptions\b|(?i:SQLSTATE|\bnil\b|panic|goroutine|context canceled|deadline exceeded|\bjson\b|/[a-z]+/[a-z]+)` +
	`|%!|%[svdq]|\bbudget\b`)

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

const longest = 400 // bytes

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

// Languages checks the texts of a package by language and name: each language has
// all of them, with the same names of values, and none is for developers.
func Languages(t testing.TB, texts map[string]map[string]string) {
	t.Helper()
	for _, language := range []string{usertext.English, usertext.German} {
		for name, english := range texts[usertext.English] {
			text := texts[language][name]
			Text(t, language+" "+name, placeholder.ReplaceAllString(text, "x"))
			if len(text) > longest {
				t.Errorf("%s %s: %d bytes are too long", language, name, len(text))
			}
			if got, want := names(text), names(english); !slices.Equal(got, want) {
				t.Errorf("%s %s: names %q, in English %q", language, name, got, want)
			}
			if language != usertext.English && text == english {
				t.Errorf("%s %s: it is in English", language, name)
			}
		}
	}
}

func names(text string) []string {
	all := placeholder.FindAllString(text, -1)
	slices.Sort(all)
	return all
}
