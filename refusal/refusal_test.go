package refusal_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/qedkit/qed/refusal"
)

const (
	errUnknown = refusal.Code("unknown_table")
	errSyntax  = refusal.Code("syntax")
)

func Example() {
	err := error(&refusal.Error{Package: "secureview", Problems: []refusal.Problem{{
		Code: errUnknown, Name: "employe", Line: 1, Column: 15,
		Message:    `there is no table "employe"`,
		Candidates: refusal.Nearest("employe", []string{"crew", "employee"}, 3),
	}}})
	fmt.Println(err)
	fmt.Println(errors.Is(err, errUnknown), errors.Is(err, errSyntax))
	// Output:
	// secureview: there is no table "employe" (did you mean employee?) (line 1, column 15)
	// true false
}

func TestErrorUnwrapsItsCause(t *testing.T) {
	err := fmt.Errorf("query: %w", &refusal.Error{Problems: []refusal.Problem{{Code: errSyntax}, {Code: errUnknown}}, Err: io.EOF})
	for _, target := range []error{errSyntax, errUnknown, io.EOF} {
		if !errors.Is(err, target) {
			t.Errorf("does not match %v", target)
		}
	}
	if errors.Is(err, refusal.Code("other")) {
		t.Error("matches a code that no problem has")
	}
}

func TestTextIsBounded(t *testing.T) {
	e := &refusal.Error{Problems: make([]refusal.Problem, 100)}
	for i := range e.Problems {
		e.Problems[i].Message = fmt.Sprintf("problem%d", i)
	}
	if text := e.Error(); strings.Contains(text, "problem5") || !strings.Contains(text, "and 95 more") {
		t.Error(text)
	}
}

func TestNamedCandidatesAreNotRepeated(t *testing.T) {
	for _, tt := range []struct {
		message string
		want    bool // the candidates are listed
	}{
		{"no field nam: use name", false},
		{"no field nam: use names", true},
		{"no field nam", true},
	} {
		p := refusal.Problem{Message: tt.message, Candidates: []string{"name"}}
		if got := strings.Contains(p.String(), "did you mean"); got != tt.want {
			t.Errorf("%q: %s", tt.message, p)
		}
	}
}

func TestTextIsSafeForATerminal(t *testing.T) {
	p := refusal.Problem{
		Path:       "/\x1b[31m" + strings.Repeat("x", 20_000),
		Message:    "no key \u202e and \u009b31m\nnext",
		Candidates: []string{"a\a"},
	}
	text := p.String()
	if strings.ContainsAny(text, "\x1b\u202e\u009b\a") || len(text) > 1000 {
		t.Errorf("%d bytes: %q", len(text), text)
	}
	if plain := (refusal.Problem{Path: "/größe", Message: "日本 no\nsecond"}).String(); plain != "/größe: 日本 no\nsecond" {
		t.Error(plain)
	}
}
