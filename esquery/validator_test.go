package esquery_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/refusal"
)

func TestFilterThatDoesNotFit(t *testing.T) {
	for name, filter := range map[string]string{
		"empty":             ``,
		"blank":             " \n",
		"null":              `null`,
		"no query":          `{}`,
		"a list":            `[{"term":{"tenantId":"a"}}]`,
		"a whole body":      `{"query":{"term":{"tenantId":"a"}}}`,
		"no JSON":           `{"term":{"tenantId":"a"}`,
		"an unknown field":  `{"term":{"tenantID2":"a"}}`,
		"a misspelt field":  `{"term":{"tenantid":"a"}}`,
		"an analysed field": `{"term":{"title":"a"}}`,
		"no values":         `{"terms":{"tenantId":[]}}`,
		"a script":          `{"script":{"script":"true"}}`,
		"an idle should":    `{"bool":{"must":{"term":{"tenantId":"a"}},"should":[{"term":{"status":"open"}}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			opt := &esquery.Options{Filter: json.RawMessage(filter)}
			if opt.Filter == nil {
				opt.Filter = json.RawMessage{}
			}
			_, err := esquery.NewValidator(map[string]*esquery.Mapping{"docs": parse(t, docs)}, opt)
			_, later := validator(t, nil).Filtered(json.RawMessage(filter))
			for _, err := range []error{err, later} {
				if !errors.Is(err, esquery.ErrFilter) {
					t.Errorf("it is %v, want %v", err, esquery.ErrFilter)
				}
			}
		})
	}
}

func TestNewValidatorRefuses(t *testing.T) {
	mapping := parse(t, docs)
	for name, tt := range map[string]struct {
		indices map[string]*esquery.Mapping
		opt     *esquery.Options
		names   string // what the error has to name
	}{
		"no index":          {nil, nil, "index"},
		"no mapping":        {map[string]*esquery.Mapping{"docs": nil}, nil, "mapping"},
		"a pattern":         {map[string]*esquery.Mapping{"docs*": mapping}, nil, "wildcards"},
		"capitals":          {map[string]*esquery.Mapping{"Docs": mapping}, nil, "lower case"},
		"a misspelt secret": {map[string]*esquery.Mapping{"docs": mapping}, &esquery.Options{Sensitive: []string{"titel"}}, "titel"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := esquery.NewValidator(tt.indices, tt.opt)
			if err == nil || !strings.Contains(err.Error(), tt.names) {
				t.Errorf("%v does not name %q", err, tt.names)
			}
		})
	}
}

// TestErrorNamesCandidates checks that the error alone is enough to correct a body.
func TestErrorNamesCandidates(t *testing.T) {
	_, err := validator(t, nil).Check("docs", []byte(`{"query":{"term":{"titel":"a"}}}`)).Search()
	if err == nil || !strings.Contains(err.Error(), "/query/term/titel") || !strings.Contains(err.Error(), "title.raw") {
		t.Errorf("%v does not say where it is, and what could have been meant", err)
	}
}

// TestOldNames checks that old names are refused with the name to use.
func TestOldNames(t *testing.T) {
	v := validator(t, nil)
	for body, want := range map[string]string{
		`{"query":{"bool":{"mustNot":{"match_all":{}}}}}`: "must_not",
		`{"_source":{"include":["title"]}}`:               "includes",
		`{"query":{"bool":{"mustnot":{"match_all":{}}}}}`: "must_not",
		`{"_source":{"includs":["title"]}}`:               "includes",
	} {
		problems := v.Check("docs", []byte(body)).Problems
		if len(problems) != 1 || len(problems[0].Candidates) == 0 || problems[0].Candidates[0] != want {
			t.Errorf("%s: %v, want the candidate %s", body, problems, want)
		}
	}
}

func TestUnknownIndex(t *testing.T) {
	v := validator(t, nil)
	_, described := v.Describe("dogs", nil)
	_, checked := v.Check("dogs", nil).Search()
	for _, err := range []error{described, checked} {
		var e *refusal.Error
		if !errors.As(err, &e) || len(e.Problems) != 1 || !errors.Is(err, esquery.ErrUnknownIndex) {
			t.Fatalf("it is %v, want %s", err, esquery.ErrUnknownIndex)
		}
		if diff := cmp.Diff([]string{"docs"}, e.Problems[0].Candidates); diff != "" {
			t.Error(diff)
		}
	}
}
