package joinpath_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/joinpath"
)

// TestErrorMessages: a message begins with the package and holds the names that
// a reader needs, quoted, however many there are.
func TestErrorMessages(t *testing.T) {
	many := make([]string, 5000)
	for i := range many {
		many[i] = "no\nsuch " + tableName(i)
	}
	g := newGraph(t, service(), nil)
	_, unknown := g.ShortestPath("employe", "customer")
	_, unknownMany := g.Connect(t.Context(), many...)
	_, argument := g.Paths("employee", "customer", 0)
	_, invalid := joinpath.Read(strings.NewReader(file(edgeAB + "," + edgeAB)))
	apart := &joinpath.Error{Err: joinpath.ErrDisconnected, Components: [][]string{{"a", "b"}, {"c"}}}
	for _, tc := range []struct {
		err   error
		kind  error
		words []string
	}{
		{unknown, joinpath.ErrUnknownTable, []string{`"employe"`, `"employee"`}},
		{unknownMany, joinpath.ErrUnknownTable, []string{`"no\nsuch table00000"`, "4990 more"}},
		{argument, joinpath.ErrArgument, []string{"0", "1000"}},
		{invalid, joinpath.ErrSchema, []string{"relationships[1]", "a.b_id -> b.id", "relationships[0]"}},
		{apart, joinpath.ErrDisconnected, []string{`"a", "b" | "c"`}},
	} {
		if !errors.Is(tc.err, tc.kind) {
			t.Errorf("got %v, want %v", tc.err, tc.kind)
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
}

func TestDisconnectedTellsOfUnsureRelationships(t *testing.T) {
	g, err := joinpath.New(&joinpath.Schema{
		Tables:        map[string]joinpath.Table{"a": {Columns: []string{"x"}}, "b": {Columns: []string{"x"}}},
		Relationships: []joinpath.Relationship{{FromTable: "a", FromColumn: "x", ToTable: "b", ToColumn: "x"}}, // no confidence
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.Connect(t.Context(), "a", "b")
	var e *joinpath.Error
	if !errors.As(err, &e) || !errors.Is(err, joinpath.ErrDisconnected) || e.Detail == "" {
		t.Errorf("error = %v, want a disconnection that says why", err)
	}
}
