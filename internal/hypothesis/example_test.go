package hypothesis_test

import (
	"fmt"
	"log"

	"github.com/qedkit/qed/internal/hypothesis"
)

func Example() {
	test, err := hypothesis.WelchT([]float64{1.1, 2.3, 2.9, 3.1, 4, 5.2}, []float64{2, 3.3, 4.9, 6.1, 7, 8.2, 9.1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("t = %.4f, df = %.4f, p = %.5f, g = %.2f\n", test.T, test.DF, test.P, test.HedgesG)
	// Output: t = -2.3914, df = 9.5285, p = 0.03902, g = -1.18
}

// Three of 20 customers left: the share in all customers may be far from 15 %.
func ExampleWilsonInterval() {
	share, err := hypothesis.WilsonInterval(3, 20, 0.95)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f to %.4f\n", share.Low, share.High)
	// Output: 0.0524 to 0.3604
}

// Of all applicants men were admitted more often, and in the departments women.
func ExampleMantelHaenszel() {
	test, err := hypothesis.MantelHaenszel([]hypothesis.Table2x2{
		{{512, 313}, {89, 19}}, {{353, 207}, {17, 8}}, {{120, 205}, {202, 391}},
		{{138, 279}, {131, 244}}, {{53, 138}, {94, 299}}, {{22, 351}, {24, 317}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("odds ratio %.4f, difference of shares %+.4f\n", *test.OddsRatio, test.RiskDifference)
	// Output: odds ratio 0.9047, difference of shares -0.0184
}

// Ten tests were made. After the adjustment two are significant at 5 %, not five.
func ExampleBenjaminiHochberg() {
	adjusted, err := hypothesis.BenjaminiHochberg([]float64{.001, .008, .039, .041, .042, .06, .074, .205, .212, .216})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range adjusted {
		fmt.Printf("%.3f ", p)
	}
	// Output: 0.010 0.040 0.084 0.084 0.084 0.100 0.106 0.216 0.216 0.216
}
