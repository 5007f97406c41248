package graphqlsource

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/qedkit/qed"
)

// Every response of a server gives a table or an error.
func FuzzTabulate(f *testing.F) {
	doc, err := parser.ParseQuery(&ast.Source{Input: `{ count a { name edges { cursor node { id to { x } tags } } totalCount pageInfo { hasNextPage } } b { id in { at } } }`})
	if err != nil {
		f.Fatal(err)
	}
	fields := fieldsOf(doc.Operations[0].SelectionSet)
	f.Add(`{"count":1,"a":{"edges":[{"cursor":"1","node":{"id":1.5e3,"to":{"x":[1]}}},null],"totalCount":9,"pageInfo":{"hasNextPage":true}},"b":[{"id":"x","in":[{"at":1}]}]}`)
	f.Add(`{"a":null,"b":{"id":true}}`)
	f.Add(`{"a":[[{"name":"x"}],[]],"b":3}`)
	f.Fuzz(func(t *testing.T, data string) {
		if !json.Valid([]byte(data)) || !utf8.ValidString(data) {
			t.Skip("the client refuses such a response")
		}
		found, err := tabulate(fields, json.RawMessage(data))
		if err != nil {
			return
		}
		raw, err := json.Marshal(found.table)
		if err != nil {
			t.Fatal(err)
		}
		var back qed.Table
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(*found.table, back); d != "" {
			t.Error(d)
		}
	})
}
