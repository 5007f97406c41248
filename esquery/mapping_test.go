package esquery_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/esquery"
)

func parse(t *testing.T, mapping string) *esquery.Mapping {
	t.Helper()
	m, err := esquery.ParseMapping([]byte(mapping))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ExampleParseMapping() {
	m, err := esquery.ParseMapping([]byte(`{"files": {"mappings": {"properties": {
		"title":   {"type": "text", "fields": {"raw": {"type": "keyword"}}},
		"authors": {"type": "nested", "properties": {"name": {"type": "keyword"}}}}}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range m.Fields() {
		fmt.Printf("%s is %s, sortable %t, nested in %q\n", f.Path, f.Type, f.Sortable, f.Nested)
	}
	// Output:
	// authors is nested, sortable false, nested in ""
	// authors.name is keyword, sortable true, nested in "authors"
	// title is text, sortable false, nested in ""
	// title.raw is keyword, sortable true, nested in ""
}

func TestParseMappingForms(t *testing.T) {
	for name, mapping := range map[string]string{
		"a response":              `{"i":{"mappings":{"properties":{"a":{"type":"long"}}}}}`,
		"an index":                `{"i":{"aliases":{},"mappings":{"properties":{"a":{"type":"long"}}},"settings":{}}}`,
		"mappings":                `{"mappings":{"properties":{"a":{"type":"long"}}}}`,
		"properties":              `{"properties":{"a":{"type":"long"}}}`,
		"dynamic and properties":  `{"dynamic":"strict","properties":{"a":{"type":"long"}}}`,
		"an index named mappings": `{"mappings":{"mappings":{"properties":{"a":{"type":"long"}}}}}`,
		"a field named mappings":  `{"properties":{"a":{"type":"long"},"mappings":{"properties":{"b":{"type":"long"}}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, ok := parse(t, mapping).Field("a"); !ok {
				t.Error("the field a is missing")
			}
		})
	}
	if got := parse(t, `{"b":{"mappings":{}},"a":{"mappings":{}}}`).Indices(); !cmp.Equal(got, []string{"a", "b"}) {
		t.Errorf("indices %v", got)
	}
}

func TestParseMappingErrors(t *testing.T) {
	for name, mapping := range map[string]string{
		"nothing":                      ``,
		"no JSON":                      `{"i":`,
		"no object":                    `[]`,
		"no index":                     `{}`,
		"an error of the engine":       `{"error":{"type":"index_not_found_exception"},"status":404}`,
		"a number for an index":        `{"files":5}`,
		"a key twice":                  `{"properties":{"a":{"type":"long"},"a":{"type":"text"}}}`,
		"properties that are none":     `{"properties":[]}`,
		"an invalid property":          `{"properties":{"a":1}}`,
		"a property without a name":    `{"properties":{"":{"type":"long"}}}`,
		"an invalid type":              `{"properties":{"a":{"type":1}}}`,
		"fields that are none":         `{"properties":{"a":{"type":"text","fields":[]}}}`,
		"a runtime section that is no": `{"runtime":[],"properties":{}}`,
		"too deep":                     strings.Repeat(`{"properties":{"a":`, 500) + `{}` + strings.Repeat(`}}`, 500),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := esquery.ParseMapping([]byte(mapping)); !errors.Is(err, esquery.ErrMapping) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// A field as the tests compare it.
type seen struct {
	Type, Target, Parent, Nested string
	Searchable, Sortable         bool
}

func TestFieldsOfAMapping(t *testing.T) {
	m := parse(t, `{"i":{"mappings":{
		"runtime": {
			"day":  {"type":"keyword","script":{"source":"emit('x')"}},
			"geo":  {"type":"composite","script":{"source":"emit([:])"},"fields":{"city":{"type":"keyword"}}},
			"late": {"type":"lookup","target_index":"o","input_field":"day","target_field":"d","fetch_fields":["x"]}},
		"properties": {
			"title":    {"type":"text","fields":{"raw":{"type":"keyword"},"count":{"type":"token_count","analyzer":"standard"}}},
			"open":     {"type":"text","fielddata":true},
			"mute":     {"type":"text","index":false},
			"type":     {"type":"search_as_you_type"},
			"slow":     {"type":"long","index":false},
			"unsorted": {"type":"keyword","doc_values":false},
			"dead":     {"type":"date","index":false,"doc_values":false},
			"spans":    {"type":"date_range","index":false},
			"blob":     {"type":"binary"},
			"labels":   {"type":"flattened"},
			"link":     {"type":"join","relations":{"q":["a","b"]}},
			"name":     {"type":"alias","path":"title.raw"},
			"nowhere":  {"type":"alias","path":"gone"},
			"odd":      {"type":"future_type"},
			"off":      {"type":"object","enabled":false,"properties":{"x":{"type":"keyword"}}},
			"dots":     {"subobjects":false,"properties":{"a.b":{"type":"keyword"}}},
			"attrs":    {"type":"passthrough","priority":10,"properties":{"host":{"type":"keyword"}}},
			"outer":    {"type":"nested","properties":{
				"x":     {"type":"keyword"},
				"short": {"type":"alias","path":"outer.x"},
				"plain": {"properties":{"y":{"type":"keyword"}}},
				"inner": {"type":"nested","properties":{"z":{"type":"keyword","fields":{"t":{"type":"text"}}}}}}}}}}}`)
	usable := func(typ string) seen { return seen{Type: typ, Searchable: true, Sortable: true} }
	for path, want := range map[string]*seen{
		"title":              {Type: "text", Searchable: true},
		"title.raw":          {Type: "keyword", Parent: "title", Searchable: true, Sortable: true},
		"title.count":        {Type: "token_count", Parent: "title", Searchable: true, Sortable: true},
		"open":               {Type: "text", Searchable: true, Sortable: true},
		"mute":               {Type: "text"},
		"type._2gram":        {Type: "search_as_you_type", Parent: "type", Searchable: true},
		"type._3gram":        {Type: "search_as_you_type", Parent: "type", Searchable: true},
		"type._index_prefix": {Type: "search_as_you_type", Parent: "type", Searchable: true},
		"type._4gram":        nil,
		"slow":               {Type: "long", Searchable: true, Sortable: true},
		"unsorted":           {Type: "keyword", Searchable: true},
		"dead":               {Type: "date"},
		"spans":              {Type: "date_range", Sortable: true},
		"blob":               {Type: "binary"},
		"labels":             ptr(usable("flattened")),
		"labels.release":     ptr(usable("flattened")),
		"labels.a.b":         ptr(usable("flattened")),
		"labels.":            nil,
		"labelsx":            nil,
		"link":               ptr(usable("join")),
		"link#q":             {Type: "join", Parent: "link", Searchable: true, Sortable: true},
		"name":               {Type: "keyword", Target: "title.raw", Searchable: true, Sortable: true},
		"nowhere":            nil,
		"odd":                ptr(usable("future_type")),
		"off":                {Type: "object"},
		"off.x":              nil,
		"dots.a.b":           ptr(usable("keyword")),
		"attrs.host":         ptr(usable("keyword")),
		"host":               {Type: "keyword", Target: "attrs.host", Searchable: true, Sortable: true},
		"outer":              {Type: "nested"},
		"outer.x":            {Type: "keyword", Nested: "outer", Searchable: true, Sortable: true},
		"outer.short":        {Type: "keyword", Target: "outer.x", Nested: "outer", Searchable: true, Sortable: true},
		"outer.plain":        {Type: "object", Nested: "outer"},
		"outer.plain.y":      {Type: "keyword", Nested: "outer", Searchable: true, Sortable: true},
		"outer.inner":        {Type: "nested", Nested: "outer"},
		"outer.inner.z":      {Type: "keyword", Nested: "outer.inner", Searchable: true, Sortable: true},
		"outer.inner.z.t":    {Type: "text", Parent: "outer.inner.z", Nested: "outer.inner", Searchable: true},
		"day":                {Type: "keyword", Searchable: true, Sortable: true},
		"geo.city":           {Type: "keyword", Searchable: true, Sortable: true},
		"late":               {Type: "lookup"},
		"_id":                {Type: "_id", Searchable: true},
		"_index":             ptr(usable("_index")),
		"_nothing":           nil,
		"Title":              nil,
		"":                   nil,
		".":                  nil,
	} {
		t.Run(path, func(t *testing.T) {
			f, ok := m.Field(path)
			if want == nil {
				if ok {
					t.Errorf("there is a field %+v", f)
				}
				return
			}
			got := seen{f.Type, f.Target, f.Parent, f.Nested, f.Searchable, f.Sortable}
			if diff := cmp.Diff(*want, got); !ok || f.Path != path || diff != "" {
				t.Errorf("found %t, path %q (-want +got):\n%s", ok, f.Path, diff)
			}
		})
	}
}

func ptr(s seen) *seen { return &s }

func TestFieldParameters(t *testing.T) {
	m := parse(t, `{"properties":{
		"day":  {"type":"date","format":"yyyy-MM-dd||epoch_millis"},
		"at":   {"type":"date"},
		"fine": {"type":"date_nanos"}}}`)
	day, _ := m.Field("day")
	at, _ := m.Field("at")
	fine, _ := m.Field("fine")
	got := []any{day.Formats, at.Formats, fine.Formats}
	want := []any{
		[]string{"yyyy-MM-dd", "epoch_millis"},
		[]string{"strict_date_optional_time", "epoch_millis"},
		[]string{"strict_date_optional_time_nanos", "epoch_millis"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSeveralIndices(t *testing.T) {
	m := parse(t, `{
		"a":{"mappings":{"properties":{"same":{"type":"keyword"},"kind":{"type":"text"},"one":{"type":"long"},"off":{"type":"long"}}}},
		"b":{"mappings":{"properties":{"same":{"type":"keyword"},"kind":{"type":"keyword"},"off":{"type":"long","doc_values":false}}}}}`)
	for path, want := range map[string]esquery.Field{
		"same": {Path: "same", Type: "keyword", Searchable: true, Sortable: true},
		"kind": {Path: "kind", Type: "keyword", Types: []string{"keyword", "text"}, Searchable: true},
		"one":  {Path: "one", Type: "long", Searchable: true, Sortable: true},
		"off":  {Path: "off", Type: "long", Searchable: true},
	} {
		got, _ := m.Field(path)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(esquery.Field{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

// manyFields is the mapping of an index with n fields, four to an object.
func manyFields(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"big":{"mappings":{"properties":{`)
	for i := range n / 5 {
		if i > 0 {
			b.WriteByte(',')
		}
		id := strconv.Itoa(i)
		b.WriteString(`"object` + id + `":{"properties":{"title":{"type":"text","fields":{"raw":{"type":"keyword"}}},` +
			`"created":{"type":"date"},"size":{"type":"long"}}}`)
	}
	b.WriteString(`}}}}`)
	return []byte(b.String())
}

func BenchmarkParseMapping(b *testing.B) {
	response := manyFields(10_000)
	b.SetBytes(int64(len(response)))
	for b.Loop() {
		if _, err := esquery.ParseMapping(response); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzParseMapping(f *testing.F) {
	f.Add([]byte(`{"i":{"mappings":{"properties":{"a":{"type":"text","fields":{"b":{"type":"keyword"}}},"c":{"type":"alias","path":"a.b"}}}}}`))
	f.Add([]byte(`{"properties":{"n":{"type":"nested","include_in_root":true,"properties":{"a":{"type":"passthrough"}}}}}`))
	f.Add([]byte(`{"a":{"mappings":{"runtime":{"r":{"type":"composite","fields":{"x":{"type":"long"}}}}}},"b":{"mappings":{}}}`))
	f.Fuzz(func(t *testing.T, response []byte) {
		m, err := esquery.ParseMapping(response)
		if err != nil {
			if !errors.Is(err, esquery.ErrMapping) {
				t.Errorf("the error is %v", err)
			}
			return
		}
		for _, field := range m.Fields() {
			if got, ok := m.Field(field.Path); !ok || got.Type != field.Type {
				t.Errorf("%q is not found by its path", field.Path)
			}
		}
	})
}
