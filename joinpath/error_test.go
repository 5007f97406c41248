package joinpath_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
)

// problems returns the problems of an error of this package.
func problems(t *testing.T, err error) []refusal.Problem {
	t.Helper()
	var refused *refusal.Error
	if !errors.As(err, &refused) || len(refused.Problems) == 0 {
		t.Fatalf("got %v, want a refusal", err)
	}
	return refused.Problems
}

// TestErrorMessages: a message begins with the package and has the names that a
// reader needs, quoted, and it is short.
func TestErrorMessages(t *testing.T) {
	many := make([]string, 5000)
	for i := range many {
		many[i] = "no\nsuch " + tableName(i)
	}
	g := newGraph(t, service(), nil)
	_, unknown := g.ShortestPath("employe", "customer")
	_, unknownMany := g.Connect(t.Context(), many...)
	_, argument := g.Connect(t.Context())
	_, invalid := joinpath.Read(strings.NewReader(file(edgeAB + "," + edgeAB)))
	three := joinpath.Table{Columns: []string{"x"}}
	_, apart := newGraph(t, &joinpath.Schema{
		Tables:        map[string]joinpath.Table{"a": three, "b": three, "c": three},
		Relationships: []joinpath.Relationship{{FromTable: "a", FromColumn: "x", ToTable: "b", ToColumn: "x", Confidence: 1}},
	}, nil).Connect(t.Context(), "a", "b", "c")
	for _, tc := range []struct {
		err   error
		code  error
		words []string
	}{
		{unknown, joinpath.ErrUnknownTable, []string{`"employe"`, `employee`}},
		{unknownMany, joinpath.ErrUnknownTable, []string{`"no\nsuch table00000"`, "4995 more"}},
		{argument, joinpath.ErrArgument, []string{"no tables"}},
		{invalid, joinpath.ErrSchema, []string{"/relationships/1", "a.b_id -> b.id", "/relationships/0"}},
		{apart, joinpath.ErrDisconnected, []string{`"a", "b" | "c"`}},
	} {
		if !errors.Is(tc.err, tc.code) {
			t.Errorf("got %v, want %v", tc.err, tc.code)
			continue
		}
		message := tc.err.Error()
		if !strings.HasPrefix(message, "joinpath: ") || strings.Contains(message, "\n") || len(message) > 2000 {
			t.Errorf("message %q", message)
		}
		for _, w := range tc.words {
			if !strings.Contains(message, w) {
				t.Errorf("%q lacks %s", message, w)
			}
		}
	}
	p := problems(t, unknown)[0]
	if diff := cmp.Diff([]string{"employee"}, p.Candidates); p.Name != "employe" || diff != "" {
		t.Errorf("name %q, candidates (-want +got):\n%s", p.Name, diff)
	}
}

// TestDisconnectedMentionsIgnoredRelationships: a relationship without a
// confidence is a common mistake.
func TestDisconnectedMentionsIgnoredRelationships(t *testing.T) {
	g := newGraph(t, &joinpath.Schema{
		Tables:        map[string]joinpath.Table{"a": {Columns: []string{"x"}}, "b": {Columns: []string{"x"}}},
		Relationships: []joinpath.Relationship{{FromTable: "a", FromColumn: "x", ToTable: "b", ToColumn: "x"}},
	}, nil)
	_, err := g.Connect(t.Context(), "a", "b")
	if !errors.Is(err, joinpath.ErrDisconnected) || !strings.Contains(err.Error(), "MinConfidence") {
		t.Errorf("got %v, want disconnected and a mention of MinConfidence", err)
	}
}
