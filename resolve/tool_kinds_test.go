package resolve_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/resolve"
)

// twins returns a catalog of two ports and a customer with the same name.
func twins(t *testing.T, opt *resolve.CatalogOptions) *resolve.Catalog {
	t.Helper()
	return catalog(t, []resolve.Entity{
		{Kind: "port", Name: "Miami", ID: "USMIA", Attributes: map[string]string{"country": "US"}},
		{Kind: "port", Name: "Miami", ID: "AUMIA", Attributes: map[string]string{"country": "Australia"}},
		{Kind: "customer", Name: "Miami", ID: "c7"},
		{Kind: "vessel", Name: "Ever Given", ID: "v1"},
	}, opt)
}

// Questions, errors and unresolved terms distinguish entities of one name in the
// same way.
func TestNearestDistinguished(t *testing.T) {
	for _, tt := range []struct {
		name, arguments string
		nearest         []string
	}{
		{"by an attribute", `{"terms":[{"kind":"port","text":"Miami"}]}`, []string{"Miami (country: Australia)", "Miami (country: US)"}},
		{"by the kind", `{"terms":[{"kind":"vessel","text":"Miami"}]}`,
			[]string{"Miami (customer)", "Miami (port, country: Australia)", "Miami (port, country: US)"}},
		{"a name of its own", `{"terms":[{"kind":"customer","text":"Ever Given"}]}`, []string{"Ever Given (vessel)"}},
	} {
		tool, err := resolve.NewEntityTool(nil, twins(t, nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = tool.Call(t.Context(), json.RawMessage(tt.arguments))
		failed, ok := errors.AsType[*resolve.UnresolvedError](err)
		if !ok || !errors.Is(err, qed.ErrCannotInterrupt) {
			t.Fatalf("%s: %v", tt.name, err)
		}
		got := map[string]bool{}
		for _, n := range failed.Terms[0].Nearest {
			got[n] = true
		}
		for _, want := range tt.nearest {
			if !got[want] || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q, %v; want %q", tt.name, failed.Terms[0].Nearest, err, want)
			}
		}
		if len(got) != len(tt.nearest) {
			t.Errorf("%s: %q, want %q", tt.name, failed.Terms[0].Nearest, tt.nearest)
		}
		var options []string
		for _, o := range say(t, agent(t, tool, nil), tt.arguments).Questions[0].Choices {
			if o.ID != "none" {
				options = append(options, o.Text)
			}
		}
		if diff := cmp.Diff(failed.Terms[0].Nearest, options); diff != "" {
			t.Errorf("%s: question and error differ: %s", tt.name, diff)
		}
	}
}

// An unknown kind is a problem that lists the known ones, unless a Finder may know
// it.
func TestUnknownKind(t *testing.T) {
	c := twins(t, &resolve.CatalogOptions{KindAliases: map[string][]string{"vessel": {"ship"}}})
	for kind, known := range map[string]bool{"": true, "port": true, "Ports": true, "ship": true, "harbour": false} {
		res, err := c.Resolve(t.Context(), "Ever Given", kind)
		if err != nil || (len(res.Problems) == 0) != known {
			t.Errorf("kind %q: %v, %v", kind, res.Problems, err)
		}
		if !known && (res.Status == resolve.Resolved || !strings.Contains(res.Problems[0], "vessel")) {
			t.Errorf("kind %q: %+v", kind, res)
		}
	}
	f := finder(func(string, string) ([]resolve.Entity, error) { return nil, nil })
	if res, err := twins(t, &resolve.CatalogOptions{Finder: f}).Resolve(t.Context(), "Miami", "harbour"); err != nil || len(res.Problems) > 0 {
		t.Errorf("with a Finder: %v, %v", res.Problems, err)
	}
}

// schemaOf returns the enum of a schema at a path.
func schemaOf(t *testing.T, tool qed.Tool, path ...string) []any {
	t.Helper()
	var at any
	if err := json.Unmarshal(tool.Input, &at); err != nil {
		t.Fatal(err)
	}
	for _, name := range path {
		at = at.(map[string]any)[name]
	}
	words, _ := at.(map[string]any)["enum"].([]any)
	return words
}

// The tools' descriptions and schemas list the known kinds and sources if these are
// all.
func TestKindsInSchema(t *testing.T) {
	kind := []string{"properties", "terms", "items", "properties", "kind"}
	f := finder(func(string, string) ([]resolve.Entity, error) { return nil, nil })
	var many []resolve.Entity
	for i := range 150 {
		many = append(many, resolve.Entity{Kind: fmt.Sprint("kind ", i), Name: "x"})
	}
	for name, tt := range map[string]struct {
		c     *resolve.Catalog
		words []any
		told  string
	}{
		"a few":        {twins(t, nil), []any{"customer", "port", "vessel"}, "customer, port, vessel"},
		"with others":  {twins(t, &resolve.CatalogOptions{Finder: f}), nil, "customer, port, vessel"},
		"none":         {catalog(t, nil, nil), nil, ""},
		"too many":     {catalog(t, many, nil), nil, "kind 0"},
		"an odd one":   {catalog(t, []resolve.Entity{{Kind: "port\nobey", Name: "x"}}, nil), nil, "port obey"},
		"without kind": {catalog(t, []resolve.Entity{{Name: "x"}}, nil), nil, ""},
	} {
		tool, err := resolve.NewEntityTool(nil, tt.c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.words, schemaOf(t, tool, kind...)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if !strings.Contains(tool.Description, tt.told) || strings.Contains(tool.Description, "kinds") != (tt.told != "") {
			t.Errorf("%s: %s", name, tool.Description)
		}
		if err := qed.NewRegistry(nil).Add(tool); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	tool, err := resolve.NewFieldTool(nil, fieldCatalog(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"shipments"}, schemaOf(t, tool, "properties", "source")); diff != "" {
		t.Error(diff)
	}
}
