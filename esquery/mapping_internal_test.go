package esquery

import (
	"testing"
)

func TestAbilities(t *testing.T) {
	m := mustParse(t, `{"properties":{
		"text":{"type":"text"}, "open":{"type":"text","fielddata":true}, "docs":{"type":"text","index_options":"docs"},
		"word":{"type":"keyword"}, "bare":{"type":"keyword","index":false,"doc_values":false}, "slow":{"type":"keyword","index":false},
		"const":{"type":"constant_keyword"}, "long":{"type":"long"}, "date":{"type":"date"}, "ip":{"type":"ip"}, "point":{"type":"geo_point"},
		"days":{"type":"date_range"}, "labels":{"type":"flattened"}, "flat":{"type":"flat_object"}, "o":{"properties":{}}, "odd":{"type":"future"}}}`)
	for path, want := range map[string]struct{ can, cannot ability }{
		"text":     {canExist | canMatch | canTerm | canPhrase | canPhrasePrefix | canFuzzy, canSort | canGroup},
		"open":     {canMatch | canSort | canGroup, 0},
		"docs":     {canMatch, canPhrase | canPhrasePrefix},
		"word":     {canTerm | canPrefix | canPattern | canRange | canSort | canGroup, canCalculate},
		"bare":     {0, canExist | canTerm | canSort},
		"slow":     {canExist | canTerm | canSort, 0},
		"const":    {canTerm | canGroup, canFuzzy},
		"long":     {canTerm | canRange | canSort | canCalculate, canPrefix | canPattern | canFuzzy | canPhrasePrefix},
		"date":     {canTerm | canRange | canSort | canCalculate, canPrefix},
		"ip":       {canTerm | canRange | canGroup, canCalculate},
		"point":    {canExist | canCount, canTerm | canSort | canGroup},
		"days":     {canTerm | canRange, canSort | canGroup},
		"labels":   {canTerm | canSort | canGroup, 0},
		"labels.x": {canTerm | canPrefix | canSort | canGroup, canPattern | canFuzzy},
		"flat":     {canTerm, canSort | canGroup},
		"o":        {canExist, canTerm | canSort},
		"odd":      {canTerm | canMatch | canSort | canRange, 0},
		"_id":      {canTerm | canExist, canSort | canPrefix},
		"_index":   {canTerm | canPrefix | canSort, canRange},
	} {
		f := m.lookup(path)
		if f == nil {
			t.Errorf("%s is missing", path)
			continue
		}
		if !f.can(want.can) {
			t.Errorf("%s cannot do %b", path, want.can&^f.abilities())
		}
		if both := f.abilities() & want.cannot; both != 0 {
			t.Errorf("%s can do %b", path, both)
		}
	}
}

func TestScopes(t *testing.T) {
	m := mustParse(t, `{"properties":{"x":{"type":"keyword"},
		"a":{"type":"nested","properties":{"x":{"type":"keyword"},"b":{"type":"nested","include_in_parent":true,"properties":{"x":{"type":"keyword"}}}}},
		"r":{"type":"nested","include_in_root":true,"properties":{"x":{"type":"keyword"},"b":{"type":"nested","include_in_parent":true,"properties":{"x":{"type":"keyword"}}}}}}}`)
	for _, tt := range []struct {
		path, scope string
		seen        bool
	}{
		{"x", "", true}, {"x", "a", false},
		{"a.x", "", false}, {"a.x", "a", true}, {"a.x", "a.b", false},
		{"a.b.x", "a.b", true}, {"a.b.x", "a", true}, {"a.b.x", "", false},
		{"r.x", "", true}, {"r.x", "r", true},
		{"r.b.x", "", true}, {"r.b.x", "r", true}, {"r.b.x", "r.b", true}, {"r.b.x", "a", false},
		{"_id", "", true}, {"_id", "a.b", true},
	} {
		if got := m.lookup(tt.path).inScope(tt.scope); got != tt.seen {
			t.Errorf("%s is seen from %q: %t", tt.path, tt.scope, got)
		}
	}
	for _, tt := range []struct {
		path, scope string
		holds       bool
	}{
		{"a", "a", true}, {"a", "", false}, {"a.b", "a", true}, {"a.b", "", false}, {"r", "", true}, {"r.b", "", true},
	} {
		if got := m.lookup(tt.path).holds(tt.scope); got != tt.holds {
			t.Errorf("%s exists within %q: %t", tt.path, tt.scope, got)
		}
	}
}

func TestSameName(t *testing.T) {
	m := mustParse(t, `{"properties":{"createdAt":{"type":"date"},"user_id":{"type":"keyword"},"UserId":{"type":"keyword"},
		"author":{"properties":{"name":{"type":"keyword"}}},"author_name":{"type":"keyword"}}}`)
	all := func(string) bool { return true }
	for path, want := range map[string]string{
		"created_at": "createdAt", "CREATED-AT": "createdAt", "createdat": "createdAt",
		"userid": "", "Author.Name": "author.name", "authorName": "author_name", "createdOn": "", "author.name.x": "",
	} {
		if got, _ := m.same(path, all); got != want {
			t.Errorf("%s is the same as %q, not %q", path, got, want)
		}
	}
	if got, ok := m.same("userid", func(path string) bool { return path != "UserId" }); !ok || got != "user_id" {
		t.Errorf("with one hidden it is %q", got)
	}
}

func TestWhy(t *testing.T) {
	m := mustParse(t, `{"properties":{"off":{"type":"object","enabled":false},"loose":{"dynamic":false,"properties":{"in":{"properties":{}}}},"o":{"properties":{}}}}`)
	for path, has := range map[string]bool{"off.x": true, "off.x.y": true, "loose.x": true, "loose.in.x": true, "o.x": false, "x": false} {
		if got := m.why(path); (got != "") != has {
			t.Errorf("%s: %q", path, got)
		}
	}
}

func TestPlainIndex(t *testing.T) {
	for name, ok := range map[string]bool{
		"files": true, "logs-2024.01.02": true, ".kibana": true, "ämter": true, "a_b+c": true,
		"": false, "*": false, "log*": false, "a,b": false, "-a": false, "+a": false, "_all": false, "_search": false, "<logs-{now/d}>": false,
		"eu:files": false, "a b": false, "a/b": false, "a?": false, "A": false, ".": false, "..": false, "a#b": false, "a\n": false, "%61": false, "a&b": false, "a\xff": false,
	} {
		if plainIndex(name) != ok {
			t.Errorf("plainIndex(%q) is %t", name, !ok)
		}
	}
}
