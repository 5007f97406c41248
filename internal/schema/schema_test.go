package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/schema"
	"github.com/qedkit/qed/refusal"
)

type line struct {
	Product string `json:"product"`
	Count   int    `json:"count" jsonschema:"minimum=1"`
}

type order struct {
	Reason string            `json:"reason" jsonschema_description:"why"`
	State  string            `json:"state" jsonschema:"enum=open,enum=done"`
	Lines  []line            `json:"lines"`
	Limit  *int              `json:"limit,omitempty"`
	Notes  map[string]string `json:"notes,omitempty"`
	Any    any               `json:"any,omitempty"`
	When   time.Time         `json:"when,omitzero"`
	Small  int8              `json:"small,omitempty"`
	_      func()
}

type tree struct {
	Name     string  `json:"name"`
	Children []*tree `json:"children,omitempty"`
}

type duration struct{ time.Duration }

func (d *duration) UnmarshalText(text []byte) (err error) {
	d.Duration, err = time.ParseDuration(string(text))
	return err
}

type texts struct {
	Wait duration `json:"wait"`
	Big  *big.Int `json:"big,omitempty"`
}

type page[T any] struct {
	Items []T `json:"items"`
	Next  *T  `json:"next,omitempty"`
}

func TestJSON(t *testing.T) {
	s, err := schema.For[order]()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"properties":{` +
		`"reason":{"type":"string","description":"why"},` +
		`"state":{"type":"string","enum":["open","done"]},` +
		`"lines":{"items":{"properties":{"product":{"type":"string"},"count":{"type":"integer","minimum":1}},` +
		`"additionalProperties":false,"type":"object","required":["product","count"]},"type":"array"},` +
		`"limit":{"type":"integer"},` +
		`"notes":{"additionalProperties":{"type":"string"},"type":"object"},` +
		`"any":{"description":"any JSON value"},` +
		`"when":{"type":"string","format":"date-time"},` +
		`"small":{"type":"integer"}},` +
		`"additionalProperties":false,"type":"object","required":["reason","state","lines"]}`
	if diff := cmp.Diff(want, string(s.JSON())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestNames(t *testing.T) {
	type outer = line
	type line struct { // two types of one name, as two packages may have them
		A int `json:"a"`
	}
	type mixed struct {
		One  []line       `json:"one"`
		More []line       `json:"more"`
		Tree tree         `json:"tree"`
		Page page[line]   `json:"page"`
		Two  page[outer]  `json:"two"`
		Also page[outer]  `json:"also"`
		Deep []page[tree] `json:"deep"`
	}
	s, err := schema.For[mixed]()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(s.JSON(), &doc); err != nil {
		t.Fatal(err)
	}
	for name := range doc.Defs {
		if strings.ContainsAny(name, "[]/. ") {
			t.Errorf("definition %q cannot stand in a reference", name)
		}
	}
	raw := `{"one":[{"a":1}],"more":[],"tree":{"name":"x","children":[{"name":"y"}]},"page":{"items":[{"a":1}]},` +
		`"two":{"items":[]},"also":{"items":[{"product":"p","count":1}]},"deep":[]}`
	if _, err := s.Decode([]byte(raw)); err != nil {
		t.Error(err)
	}
	bad := strings.Replace(raw, `{"name":"y"}`, `{"name":7}`, 1)
	if _, err := s.Decode([]byte(bad)); err == nil || !strings.Contains(err.Error(), "/tree/children/0/name") {
		t.Errorf("got %v, want a problem at /tree/children/0/name", err)
	}
}

func TestRecursive(t *testing.T) {
	s, err := schema.For[tree]()
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Decode([]byte(`{"name":"a","children":[{"name":"b","children":null}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := tree{Name: "a", Children: []*tree{{Name: "b"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	deep := strings.Repeat(`{"name":"a","children":[`, 5000) + strings.Repeat(`]}`, 5000)
	if _, err := s.Decode([]byte(deep)); err == nil {
		t.Error("5,000 levels were accepted")
	}
}

func TestDecode(t *testing.T) {
	s, err := schema.For[order]()
	if err != nil {
		t.Fatal(err)
	}
	const head = `{"reason":"r","state":"open","lines":[]`
	for name, test := range map[string]struct {
		raw  string
		want string // the problems; empty: accepted
	}{
		"least":             {raw: head + `}`},
		"optional null":     {raw: head + `,"limit":null,"notes":null,"when":null}`},
		"any null":          {raw: head + `,"any":null}`},
		"any":               {raw: head + `,"any":{"x":[1,null]}}`},
		"large integer":     {raw: head + `,"limit":9007199254740993}`},
		"integer as float":  {raw: head + `,"limit":7.0}`, want: "/limit: does not fit int"},
		"required null":     {raw: `{"reason":null,"state":"open","lines":[]}`, want: "/reason: is null, want string"},
		"missing":           {raw: `{"reason":"r"}`, want: "/state: is missing; /lines: is missing"},
		"unknown":           {raw: head + `,"limits":1}`, want: "/limits: is unknown; did you mean limit? Known are any, limit"},
		"enum":              {raw: `{"reason":"r","state":"shut","lines":[]}`, want: `/state: is none of ["open","done"]`},
		"in a list":         {raw: `{"reason":"r","state":"open","lines":[{"product":"p","count":"2"}]}`, want: "/lines/0/count: is string, want integer"},
		"minimum":           {raw: `{"reason":"r","state":"open","lines":[{"product":"p","count":0}]}`, want: "/lines/0/count: is too small, want at least 1"},
		"map value":         {raw: head + `,"notes":{"a/b":1}}`, want: "/notes/a~1b: is integer, want string"},
		"too large for Go":  {raw: head + `,"small":300}`, want: "/small: does not fit int8"},
		"no time":           {raw: head + `,"when":"yesterday"}`, want: "the JSON cannot be read"},
		"huge exponent":     {raw: head + `,"any":1e999999999}`, want: "/any: is a number out of range"},
		"array":             {raw: `[]`, want: "the JSON is array, want object"},
		"empty":             {raw: " ", want: "the JSON is empty"},
		"cut off":           {raw: `{"reason":"r`, want: "the JSON is cut off"},
		"two values":        {raw: head + `} {}`, want: "the JSON is followed by something else"},
		"no JSON":           {raw: `SELECT`, want: "the JSON is malformed"},
		"duplicate, nested": {raw: `{"reason":"r","state":"open","lines":[{"product":"p","product":1,"count":1}]}`, want: "/lines/0/product: is integer"},
		"other case":        {raw: head + `,"Limit":1}`, want: "/Limit: is unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Decode([]byte(test.raw))
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var problems *refusal.Error
			if !errors.As(err, &problems) {
				t.Fatalf("got %v, want a *refusal.Error", err)
			}
			if !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %q, want it to begin with %q", err, test.want)
			}
		})
	}
}

func TestErrorIsStable(t *testing.T) {
	s, _ := schema.For[order]()
	raw := []byte(`{"z":1,"y":2,"x":3,"reason":1,"state":2,"limit":"a","notes":[],"small":"s"}`)
	_, first := s.Decode(raw)
	for range 50 {
		if _, err := s.Decode(raw); err.Error() != first.Error() {
			t.Fatalf("got %q, then %q", first, err)
		}
	}
}

func TestOwnJSON(t *testing.T) {
	s, err := schema.For[texts]()
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Decode([]byte(`{"wait":"3s","big":123456789012345678901234567890}`))
	if err != nil {
		t.Fatal(err)
	}
	if got.Wait.Duration != 3*time.Second || got.Big.String() != "123456789012345678901234567890" {
		t.Errorf("got %+v", got)
	}
	if _, err := s.Decode([]byte(`{"wait":"soon"}`)); err == nil {
		t.Error("a wait that is no duration was accepted")
	}
}

type strictRows struct {
	Rows strictTable `json:"rows"`
}

type strictTable struct{ Cells [][]string }

func (t *strictTable) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, &t.Cells) }

// TestNoTypesOfGo: errors name JSON types, not Go types.
func TestNoTypesOfGo(t *testing.T) {
	s, err := schema.For[strictRows]()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Decode([]byte(`{"rows":[["a"]]}`)); err != nil {
		t.Error(err)
	}
	for raw, want := range map[string]string{`{"rows":{"a":1}}`: "an array", `{"rows":[[{}]]}`: "a string"} {
		if _, err := s.Decode([]byte(raw)); err == nil || !strings.HasSuffix(err.Error(), "does not fit "+want) {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
}

type selfish struct{ *selfish }
type withFunc struct{ F func() }
type byStruct struct{ M map[struct{ A int }]int }
type panics struct{ P panicking }
type panicking struct{}

func (panicking) UnmarshalJSON([]byte) error { panic("reached") }

func TestRefusedTypes(t *testing.T) {
	for name, err := range map[string]error{
		"embeds itself": errOf(schema.For[selfish]()),
		"func":          errOf(schema.For[withFunc]()),
		"map key":       errOf(schema.For[byStruct]()),
		"list":          errOf(schema.For[[]string]()),
		"text":          errOf(schema.For[string]()),
		"any":           errOf(schema.For[any]()),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, err := range map[string]error{
		"no field":   errOf(schema.For[struct{}]()),
		"map":        errOf(schema.For[map[string]any]()),
		"pointer":    errOf(schema.For[*order]()),
		"reads JSON": errOf(schema.For[panics]()),
		"recursive":  errOf(schema.For[tree]()),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func errOf[T any](_ *schema.Schema[T], err error) error { return err }

func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := schema.For[order]()
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := s.Decode([]byte(`{"lines":1}`)); err == nil {
				t.Error("accepted")
			}
		})
	}
	wg.Wait()
}

func Example() {
	type search struct {
		Words []string `json:"words"`
		Limit int      `json:"limit,omitempty" jsonschema:"maximum=50"`
	}
	s, err := schema.For[search]()
	if err != nil {
		panic(err)
	}
	v, err := s.Decode([]byte(`{"words":["invoice"],"limit":null}`))
	fmt.Printf("%+v %v\n", v, err)
	_, err = s.Decode([]byte(`{"words":"invoice","limit":70}`))
	fmt.Println(err)
	// Output:
	// {Words:[invoice] Limit:0} <nil>
	// /limit: is too large, want at most 50; /words: is string, want array
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"name":"a","children":[{"name":"b"}]}`, `{"name":null}`, `[[[[`, `1e9999`, `{"children":[null]}`} {
		f.Add([]byte(seed))
	}
	s, err := schema.For[tree]()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := s.Decode(raw)
		if err != nil {
			var problems *refusal.Error
			if !errors.As(err, &problems) || len(problems.Problems) == 0 {
				t.Fatalf("%T without a problem", err)
			}
			return
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Decode(text)
		if err != nil {
			t.Fatalf("%s is accepted, but its encoding is refused: %v", raw, err)
		}
		if diff := cmp.Diff(v, again); diff != "" {
			t.Error(diff)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	s, err := schema.For[order]()
	if err != nil {
		b.Fatal(err)
	}
	raw := []byte(`{"reason":"r","state":"open","lines":[{"product":"p","count":1},{"product":"q","count":2}],"limit":10,"notes":{"a":"b"}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Decode(raw); err != nil {
			b.Fatal(err)
		}
	}
}
