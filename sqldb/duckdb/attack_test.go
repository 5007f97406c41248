package duckdb_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/refusal"
)

// No attack passes the guard, and each refusal says why.
func TestAttacks(t *testing.T) {
	g := newGuard(t, policy)
	for _, query := range lines(t, "attacks.sql") {
		stmt, err := g.Rewrite(context.Background(), query)
		var refused *refusal.Error
		switch {
		case err == nil:
			t.Errorf("%s\nis accepted as %s", query, stmt.SQL())
		case !errors.As(err, &refused) || len(refused.Problems) == 0 || refused.Problems[0].Code == "":
			t.Errorf("%s\nerror without a problem: %v", query, err)
		case strings.Contains(err.Error(), "hidden") && !strings.Contains(query, "hidden"):
			t.Errorf("%s\nthe refusal names what is hidden: %v", query, err)
		}
	}
}
