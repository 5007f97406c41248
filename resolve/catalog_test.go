package resolve_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/resolve"
)

type finder func(term, kind string) ([]resolve.Entity, error)

func (f finder) Find(_ context.Context, term, kind string) ([]resolve.Entity, error) {
	return f(term, kind)
}

func catalog(t *testing.T, list []resolve.Entity, opt *resolve.CatalogOptions) *resolve.Catalog {
	t.Helper()
	c, err := resolve.NewCatalog(list, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func lookUp(t *testing.T, c *resolve.Catalog, term, kind string) (resolve.Status, []string) {
	t.Helper()
	res, err := c.Resolve(t.Context(), term, kind)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range res.Candidates {
		if c.Score < 0 || c.Score > 1 {
			t.Errorf("%s has the score %v", c.Value.Name, c.Score)
		}
		ids = append(ids, c.Value.ID)
	}
	return res.Status, ids
}

// TestFinder checks that entities of a Finder count like those of the catalog: they
// make a name ambiguous, and they can be resolved.
func TestFinder(t *testing.T) {
	elsewhere := []resolve.Entity{{Kind: "customer", Name: "Hooli", ID: "h2"}, {Kind: "customer", Name: "Globex Inc", ID: "g"}, {Kind: "customer", Name: "Qqqq", ID: "q"}}
	f := finder(func(term, _ string) ([]resolve.Entity, error) {
		if term == "down" {
			return nil, errors.New("no connection")
		}
		return elsewhere, nil
	})
	c := catalog(t, []resolve.Entity{{Kind: "customer", Name: "Hooli", ID: "h1"}, {Kind: "customer", Name: "Globex Inc", ID: "g"}}, &resolve.CatalogOptions{Finder: f})
	if status, ids := lookUp(t, c, "hooli", ""); status != resolve.Ambiguous || len(ids) != 2 {
		t.Errorf("Hooli is %s: %v", status, ids)
	}
	if status, ids := lookUp(t, c, "globex", ""); status != resolve.Resolved || ids[0] != "g" {
		t.Errorf("Globex is %s: %v", status, ids)
	}
	if status, ids := lookUp(t, c, "Initech", ""); status != resolve.Unresolved || len(ids) == 0 {
		t.Errorf("Initech is %s: %v", status, ids)
	}
	if _, err := c.Resolve(t.Context(), "down", ""); err == nil {
		t.Error("the error of a Finder is lost")
	}
	blank := catalog(t, nil, &resolve.CatalogOptions{Finder: finder(func(string, string) ([]resolve.Entity, error) {
		return append([]resolve.Entity{{Kind: "customer", ID: "b"}}, elsewhere...), nil
	})})
	if res, err := blank.Resolve(t.Context(), "hooli", ""); err != nil || res.Status != resolve.Resolved || len(res.Problems) != 1 {
		t.Errorf("next to an entity without a name Hooli is %+v, %v", res, err)
	}
	only := catalog(t, nil, &resolve.CatalogOptions{Finder: f})
	if status, ids := lookUp(t, only, "hooli", "customer"); status != resolve.Resolved || ids[0] != "h2" {
		t.Errorf("Hooli is %s: %v", status, ids)
	}
}

// An embedder has one vector for each of a few meanings.
type embedder struct {
	mu    sync.Mutex
	calls [][]string
	err   error
}

func (e *embedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return nil, e.err
	}
	e.calls = append(e.calls, slices.Clone(texts))
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = []float32{0, 0, 1}
		switch text = strings.ToLower(text); {
		case strings.Contains(text, "new york"), strings.Contains(text, "big apple"):
			vectors[i] = []float32{1, 0, 0.1}
		case strings.Contains(text, "chicago"), strings.Contains(text, "windy"):
			vectors[i] = []float32{0, 1, 0.1}
		}
	}
	return vectors, nil
}

var cities = []resolve.Entity{{Name: "New York", ID: "ny"}, {Name: "Chicago", ID: "c"}, {Name: "Boston", ID: "b"}}

// TestEmbedder checks that meaning finds candidates but never resolves a term, and
// that exact names need no vectors.
func TestEmbedder(t *testing.T) {
	e := &embedder{}
	c := catalog(t, cities, &resolve.CatalogOptions{Embedder: e})
	if status, _ := lookUp(t, c, "boston", ""); status != resolve.Resolved || len(e.calls) > 0 {
		t.Errorf("Boston is %s, after %d calls", status, len(e.calls))
	}
	status, ids := lookUp(t, c, "the Big Apple", "")
	if status != resolve.Near || !slices.Equal(ids, []string{"ny"}) {
		t.Errorf("the Big Apple is %s: %v", status, ids)
	}
	want := [][]string{{"New York", "Chicago", "Boston"}, {"the Big Apple"}}
	if diff := cmp.Diff(want, e.calls); diff != "" {
		t.Error(diff)
	}
	// Names that stay are not embedded again.
	if err := c.Replace(append(slices.Clone(cities), resolve.Entity{Name: "Denver", ID: "d"})); err != nil {
		t.Fatal(err)
	}
	e.calls = nil
	if err := c.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"Denver"}}, e.calls); diff != "" {
		t.Error(diff)
	}
	if status, ids := lookUp(t, c, "windy city", ""); status != resolve.Near || ids[0] != "c" {
		t.Errorf("the windy city is %s: %v", status, ids)
	}
}

// TestEmbedderFails checks that candidates by words remain if the embedder fails,
// and that the resolution reports the problem.
func TestEmbedderFails(t *testing.T) {
	e := &embedder{err: &llm.Error{Kind: llm.ErrUnavailable, Message: "key sk-secret"}}
	c := catalog(t, cities, &resolve.CatalogOptions{Embedder: e})
	res, err := c.Resolve(t.Context(), "York", "")
	if err != nil || res.Status != resolve.Near || len(res.Problems) != 1 || strings.Contains(res.Problems[0], "secret") {
		t.Errorf("%+v, %v", res, err)
	}
	if err := c.Prepare(t.Context()); !errors.Is(err, llm.ErrUnavailable) {
		t.Errorf("Prepare: %v", err)
	}
	e.err = nil // it works again
	if status, ids := lookUp(t, c, "the Big Apple", ""); status != resolve.Near || ids[0] != "ny" {
		t.Errorf("the Big Apple is %s: %v", status, ids)
	}
}

func TestKinds(t *testing.T) {
	c := catalog(t, []resolve.Entity{{Kind: "vessel", Name: "Anna", ID: "v"}, {Kind: "port", Name: "Anna", ID: "p"}}, &resolve.CatalogOptions{
		KindAliases: map[string][]string{"vessel": {"ship", "boat"}},
	})
	for _, tt := range []struct {
		term, kind string
		status     resolve.Status
		ids        []string
	}{
		{"Anna", "", resolve.Ambiguous, []string{"p", "v"}},
		{"Anna", "vessel", resolve.Resolved, []string{"v"}},
		{"Anna", "Ships", resolve.Resolved, []string{"v"}},
		{"the ship Anna", "vessel", resolve.Resolved, []string{"v"}},
		{"Anna", "person", resolve.Ambiguous, []string{"p", "v"}},
	} {
		status, ids := lookUp(t, c, tt.term, tt.kind)
		slices.Sort(ids)
		if status != tt.status || !slices.Equal(ids, tt.ids) {
			t.Errorf("%s, a %q, is %s: %v", tt.term, tt.kind, status, ids)
		}
	}
}

// TestSameEntity checks that entities with the same kind and ID become one, with
// aliases.
func TestSameEntity(t *testing.T) {
	c := catalog(t, []resolve.Entity{{Kind: "port", Name: "Constantinople", ID: "1"}, {Kind: "port", Name: "Istanbul", ID: "1"}, {Kind: "port", Name: "Oslo"}, {Kind: "port", Name: "Oslo", Aliases: []string{"Christiania"}}}, nil)
	for term, want := range map[string]string{"istanbul": "Constantinople", "oslo": "Oslo", "christiania": "Oslo"} {
		res, err := c.Resolve(t.Context(), term, "")
		if err != nil || res.Status != resolve.Resolved || res.Candidates[0].Value.Name != want {
			t.Errorf("%s: %+v, %v", term, res, err)
		}
	}
}

func TestCatalogRefuses(t *testing.T) {
	for name, make := range map[string]func() (*resolve.Catalog, error){
		"a name without a letter": func() (*resolve.Catalog, error) { return resolve.NewCatalog([]resolve.Entity{{Name: " - "}}, nil) },
		"a word for two kinds": func() (*resolve.Catalog, error) {
			return resolve.NewCatalog(nil, &resolve.CatalogOptions{KindAliases: map[string][]string{"vessel": {"unit"}, "truck": {"unit"}}})
		},
	} {
		if _, err := make(); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	c := catalog(t, cities, nil)
	for _, term := range []string{"", " ", "?!", "☂", strings.Repeat("a", 1000)} {
		if _, err := c.Resolve(t.Context(), term, ""); !errors.Is(err, resolve.ErrInvalidTerm) {
			t.Errorf("%.10q: %v", term, err)
		}
	}
	if err := c.Replace([]resolve.Entity{{Name: ""}}); err == nil {
		t.Error("an empty name is accepted")
	}
	if status, _ := lookUp(t, c, "boston", ""); status != resolve.Resolved {
		t.Error("a Replace that failed changed the catalog")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Resolve(ctx, "boston", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v", err)
	}
}

func TestConcurrency(t *testing.T) {
	c := catalog(t, business(), &resolve.CatalogOptions{Embedder: &embedder{}})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 40 {
				if i == 0 && j%10 == 0 {
					if err := c.Replace(business()); err != nil {
						t.Error(err)
					}
				}
				l := labelled[(i*40+j)%len(labelled)]
				if _, err := c.Resolve(t.Context(), l.term, l.kind); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// FuzzResolve checks that candidates are in the data, have scores between 0 and 1,
// the best first, and are the same every time.
func FuzzResolve(f *testing.F) {
	for _, l := range labelled {
		f.Add(l.term, l.kind)
	}
	c, err := resolve.NewCatalog(business(), nil)
	if err != nil {
		f.Fatal(err)
	}
	fields, err := resolve.NewFieldCatalog(shipments())
	if err != nil {
		f.Fatal(err)
	}
	names := map[string]bool{}
	for _, e := range business() {
		names[e.Name] = true
	}
	f.Fuzz(func(t *testing.T, term, kind string) {
		if _, err := fields.Resolve(t.Context(), term, ""); err != nil && !errors.Is(err, resolve.ErrInvalidTerm) {
			t.Error(err)
		}
		res, err := c.Resolve(t.Context(), term, kind)
		if err != nil {
			if !errors.Is(err, resolve.ErrInvalidTerm) {
				t.Error(err)
			}
			return
		}
		last := 1.0
		for _, c := range res.Candidates {
			if !names[c.Value.Name] || c.Score < 0 || c.Score > last {
				t.Errorf("%q: %+v", term, res.Candidates)
			}
			last = c.Score
		}
		if again, err := c.Resolve(t.Context(), term, kind); err != nil || fmt.Sprint(again) != fmt.Sprint(res) {
			t.Errorf("%q: %+v, and then %+v, %v", term, res, again, err)
		}
	})
}
