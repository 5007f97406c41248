package sqlproof_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// A condition is said with the operator of the statement.
func TestMeaningOfPatterns(t *testing.T) {
	for _, tt := range []struct {
		dialect   dialect.Dialect
		condition string
	}{
		{sqlite.Dialect{}, "status LIKE 'a%'"},
		{sqlite.Dialect{}, "status NOT GLOB 'a*'"},
		{mysql.Dialect{}, "status NOT LIKE 'a%'"},
		{mysql.Dialect{}, "status REGEXP '^a'"},
		{postgres.Dialect{}, "status NOT ILIKE 'a%'"},
		{postgres.Dialect{}, "status SIMILAR TO 'a|b'"},
	} {
		report := check(t, tt.dialect, "SELECT id FROM orders WHERE "+tt.condition)
		if diff := cmp.Diff([]string{tt.condition}, report.Meaning.Where); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.dialect.Name(), diff)
		}
	}
}
