package sqlproof_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlproof"
	"github.com/qedkit/qed/sqlproof/proof"
)

// Goroutines check one statement with one prover, and get the same report.
func TestConcurrentChecks(t *testing.T) {
	stmt, err := guard(t, sqlite.Dialect{}).Rewrite(t.Context(), "WITH q AS (SELECT order_id, SUM(quantity) AS n FROM items GROUP BY order_id)"+
		" SELECT c.city, SUM(o.total), SUM(q.n) FROM orders o JOIN q ON q.order_id = o.id JOIN customers c ON c.id = o.customer_id GROUP BY c.city")
	if err != nil {
		t.Fatal(err)
	}
	p := prover()
	reports := make([]*proof.Report, 8)
	var running sync.WaitGroup
	for i := range reports {
		running.Go(func() {
			reports[i] = p.Check(stmt)
			sqlproof.WithoutRepeats(stmt)
		})
	}
	running.Wait()
	for _, r := range reports[1:] {
		if diff := cmp.Diff(reports[0], r); diff != "" {
			t.Fatal(diff)
		}
	}
}
