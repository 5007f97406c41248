package esquery_test

import (
	"errors"
	"testing"

	"github.com/qedkit/qed/esquery"
)

func TestSensitivePatterns(t *testing.T) {
	m := parse(t, `{"properties":{"person":{"properties":{"ssn":{"type":"keyword"}}},"labels":{"type":"flattened"},
		"raw":{"type":"object","enabled":false},"loose":{"type":"object","dynamic":"false","properties":{}}}}`)
	other := parse(t, `{"properties":{"salary":{"type":"long"}}}`)
	for _, tt := range []struct {
		pattern string
		ok      bool
	}{
		{"person.ssn", true},
		{"person", true},
		{"salary", true}, // of the other index
		{"labels.secret", true},
		{"raw.secret", true},   // only in documents
		{"loose.secret", true}, // only in documents
		{"*.ssn", true},
		{"later*", true},
		{"person.snn", false},
		{"snn", false},
		{"", false},
		{" ssn", false},
		{"person.", false},
		{"a..b", false},
	} {
		_, err := esquery.NewValidator(map[string]*esquery.Mapping{"a": m, "b": other}, &esquery.Options{Sensitive: []string{tt.pattern}})
		if tt.ok && err != nil || !tt.ok && !errors.Is(err, esquery.ErrSensitive) {
			t.Errorf("%q: %v", tt.pattern, err)
		}
	}
}
