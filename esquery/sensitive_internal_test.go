package esquery

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func mustParse(t testing.TB, mapping string) *Mapping {
	t.Helper()
	m, err := ParseMapping([]byte(mapping))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustHide(t testing.TB, m *Mapping, patterns ...string) *sensitive {
	t.Helper()
	s, err := newSensitive(patterns, m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const secretive = `{"dynamic":"strict","runtime":{
		"tail":  {"type":"keyword","script":{"source":"emit(doc['ssn'].value.substring(5))"}},
		"other": {"type":"keyword","script":{"source":"emit(doc['title'].value)"}}},
	"properties":{
		"ssn":    {"type":"keyword","copy_to":["all"],"fields":{"text":{"type":"text"}}},
		"all":    {"type":"text","copy_to":"more","fields":{"raw":{"type":"keyword"}}},
		"more":   {"type":"text"},
		"number": {"type":"alias","path":"ssn"},
		"words":  {"type":"alias","path":"all.raw"},
		"title":  {"type":"text","copy_to":"every","fields":{"raw":{"type":"keyword"}}},
		"every":  {"type":"text"},
		"ssnx":   {"type":"keyword"},
		"labels": {"type":"flattened"},
		"marks":  {"type":"alias","path":"labels"},
		"tags":   {"type":"flattened"},
		"person": {"properties":{"salary":{"type":"long"},"name":{"type":"keyword"}}}}}`

func TestHides(t *testing.T) {
	m := mustParse(t, secretive)
	for _, tt := range []struct {
		pattern         string
		hidden, visible []string
	}{
		{"ssn", []string{"ssn", "ssn.text", "ssn.any", "all", "all.raw", "more", "number", "words", "tail"},
			[]string{"title", "title.raw", "every", "ssnx", "labels", "labels.ssn", "person", "other", "_id"}},
		{"number", []string{"ssn", "number", "all"}, []string{"title"}},
		{"title.raw", []string{"title", "title.raw", "every", "other"}, []string{"ssn"}},
		{"person", []string{"person", "person.salary", "person.name", "person.later"}, []string{"persons", "title"}},
		{"person.salary", []string{"person.salary"}, []string{"person", "person.name"}},
		{"*.salary", []string{"person.salary", "labels", "labels.salary", "labels.a.salary"}, []string{"person.name", "labels.x", "salary"}},
		{"labels.secret", []string{"labels", "labels.secret", "labels.secret.deep", "marks", "marks.secret"}, []string{"labels.release", "tags"}},
		{"labels", []string{"labels", "labels.release"}, []string{"tags"}},
		{"s*n", []string{"ssn", "all"}, []string{"ssnx"}},
		{"*", []string{"title", "person", "labels"}, []string{"_id", "_index"}},
	} {
		t.Run(tt.pattern, func(t *testing.T) {
			s := mustHide(t, m, tt.pattern)
			for _, path := range tt.hidden {
				if !s.hides(path) {
					t.Errorf("%s is visible", path)
				}
			}
			for _, path := range tt.visible {
				if s.hides(path) {
					t.Errorf("%s is hidden", path)
				}
			}
		})
	}
	if none := mustHide(t, m); none.any() || none.hides("ssn") || none.within("person") {
		t.Error("without patterns something is hidden")
	}
	if s := mustHide(t, m, "person.salary"); !s.within("person") || s.within("labels") {
		t.Error("what lies within an object is not known")
	}
}

func TestExcludes(t *testing.T) {
	m := mustParse(t, secretive)
	got := mustHide(t, m, "number", "person.s*").exclude
	for _, want := range []string{"number", "number.*", "ssn", "ssn.*", "all", "person.s*", "person.s*.*"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not excluded in %v", want, got)
		}
	}
	if slices.Contains(got, "title") {
		t.Errorf("title is excluded in %v", got)
	}
}

func TestRedact(t *testing.T) {
	s := mustHide(t, mustParse(t, secretive), "ssn", "person.salary", "labels.secret", "*.token")
	for _, tt := range []struct{ in, want string }{
		{`{"title":"a","ssn":"1"}`, `{"title":"a"}`},
		{`{"ssn":"1"}`, `{}`},
		{`{"ssn":"1","title":"a"}`, `{"title":"a"}`},
		{`{ "a" : 1 , "ssn" : [ {"x":"}"} ] , "b" : [ 1 , 2 ] }`, `{"a":1,"b":[1,2]}`},
		{`{"person":{"salary":5,"name":"x"}}`, `{"person":{"name":"x"}}`},
		{`{"person.salary":5,"person.name":"x"}`, `{"person.name":"x"}`},
		{`{"person":[{"salary":5},{"salary":[6],"name":"x"},[{"salary":7}]]}`, `{"person":[{},{"name":"x"},[{}]]}`},
		{`{"person.salary.deep":5}`, `{}`},
		{`{"person.":{"salary":5},".person.salary":1,"":{"ssn":2}}`, `{"person.":{},"":{}}`},
		{`{"\u0073sn":"1","person":{"\u0073alary":5}}`, `{"person":{}}`},
		{`{"ssn":1,"ssn":2,"person":{"salary":1},"person":{"salary":2}}`, `{"person":{},"person":{}}`},
		{`{"labels":{"secret":1,"release":2},"labels.secret":3}`, `{"labels":{"release":2}}`},
		{`{"a":{"b":{"token":1}},"token":2,"a.token":3}`, `{"a":{"b":{}},"token":2}`},
		{`{"all":"has it","number":"too","title":"\"ssn\":1"}`, `{"title":"\"ssn\":1"}`},
		{`[]`, `[]`},
		{`"ssn"`, `"ssn"`},
		{`{"ssn":"\ud800","title":"\ud800\u0061"}`, "{\"title\":\"\uFFFDa\"}"},
		{"{\"ssn\":\"\xff\",\"title\":\"\xff\"}", "{\"title\":\"\uFFFD\"}"},
		{` {"title":null} `, `{"title":null}`},
		{``, ``},
	} {
		got, err := s.redact(json.RawMessage(tt.in))
		if err != nil || string(got) != tt.want {
			t.Errorf("redact(%s) = %s, %v; want %s", tt.in, got, err, tt.want)
		}
	}
	for _, in := range []string{`{`, `{"ssn":1}}`, `{"a":01}`, strings.Repeat("[", 2000) + strings.Repeat("]", 2000)} {
		if got, err := s.redact(json.RawMessage(in)); err == nil {
			t.Errorf("redact(%.20s) = %s, and no error", in, got)
		}
	}
}

func BenchmarkRedact(b *testing.B) {
	s := mustHide(b, mustParse(b, secretive), "ssn", "person.salary", "*.token")
	var doc strings.Builder
	doc.WriteString(`{"ssn":"1"`)
	for i := range 100 {
		doc.WriteString(`,"field` + strconv.Itoa(i) + `":{"text":"some words that stand in it","number":12345,"list":[1,2,3]}`)
	}
	doc.WriteString(`}`)
	source := json.RawMessage(doc.String())
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.redact(source); err != nil {
			b.Fatal(err)
		}
	}
}

// The marker is only in hidden fields of a random document, so it must be removed.
func FuzzRedact(f *testing.F) {
	f.Add(`{"a":{"b":[@]},"c.d":@}`, "a", "x.c")
	f.Add(`{"person":[{"salary":@},@],"":{".":@}}`, "person", "")
	m := mustParse(f, secretive)
	s := mustHide(f, m, "ssn", "person.salary", "*.token")
	f.Fuzz(func(t *testing.T, template, key, object string) {
		name, _ := json.Marshal(key)
		around, _ := json.Marshal(object)
		for _, hidden := range []string{
			`{"ssn":"MARKER"}`, `{` + string(around) + `:{"token":["MARKER",{"x":"MARKER"}]},"q.token":"MARKER"}`,
			`{"person":{"salary":{` + string(name) + `:"MARKER"}}}`, `[{"person.salary":"MARKER"},[{"person":[{"salary":"MARKER"}]}]]`,
		} {
			// Within an object of another name only what ends in .token stays hidden.
			doc := strings.ReplaceAll(template, "@", `{"x":{"token":"MARKER"}}`)
			if !json.Valid([]byte(doc)) || strings.Contains(template+key+object, "MARKER") || strings.Trim(object, ".") == "" {
				return
			}
			for _, source := range []string{hidden, doc, `[` + hidden + `,` + doc + `]`} {
				got, err := s.redact(json.RawMessage(source))
				if err != nil {
					continue
				}
				if strings.Contains(string(got), "MARKER") || !json.Valid(got) {
					t.Errorf("redact(%s) = %s", source, got)
				}
			}
		}
	})
}
