package claims_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst/claims"
)

// Of all applicants men were admitted more often, which the departments explain.
func Example() {
	rows := &qed.Table{Columns: []qed.Column{{Name: "gender"}, {Name: "department"}, {Name: "admitted"}}}
	for _, d := range []struct {
		department           string
		men, rejected        int
		women, rejectedWomen int
	}{{"A", 512, 313, 89, 19}, {"B", 353, 207, 17, 8}, {"C", 120, 205, 202, 391},
		{"D", 138, 279, 131, 244}, {"E", 53, 138, 94, 299}, {"F", 22, 351, 24, 317}} {
		for i, n := range []int{d.men, d.rejected, d.women, d.rejectedWomen} {
			for range n {
				if err := rows.Append([]string{"men", "women"}[i/2], d.department, i%2 == 0); err != nil {
					log.Fatal(err)
				}
			}
		}
	}
	r, err := claims.Check(context.Background(), claims.Finding{
		Text: "Men are admitted more often than women.",
		Claim: &claims.Claim{
			Kind: claims.Shares, Metric: "admitted",
			By: "gender", Groups: []string{"men", "women"}, Comparison: claims.More,
		},
		Rows: rows,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Verdict)
	fmt.Println(r.Text)
	// Output:
	// contradicted
	// The rows contradict the finding. Within the groups of "department" the result is reversed (14.2 % becomes -1.8 %): Simpson's paradox.
}

// The second claim of a session counts for the first one, too.
func ExampleSession() {
	rows := &qed.Table{Columns: []qed.Column{{Name: "shop"}, {Name: "amount"}, {Name: "weight"}}}
	for i := range 40 {
		shop := []string{"north", "south"}[i%2]
		if err := rows.Append(shop, 20+i%2*(i%7), 5+i*7%11); err != nil {
			log.Fatal(err)
		}
	}
	var session claims.Session
	for _, metric := range []string{"amount", "weight"} {
		_, err := session.Check(context.Background(), claims.Finding{
			Text:  "The shops differ in " + metric + ".",
			Claim: &claims.Claim{Kind: claims.Means, Metric: metric, By: "shop"},
			Rows:  rows,
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	for _, r := range session.Reports() {
		fmt.Printf("%s: %s, %d tests\n", r.Claim.Metric, r.Verdict, r.Tests)
	}
	// Output:
	// amount: proved, 2 tests
	// weight: not_checked, 2 tests
}
