package retry_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/qedkit/qed/retry"
)

// A package with a Policy in its options fills in its defaults and repeats what can
// succeed later.
func Example() {
	standard := retry.Policy{Attempts: 4, Wait: time.Second, MaxWait: 30 * time.Second}
	policy, err := retry.Policy{Wait: time.Millisecond}.WithDefaults("Options.Retry", standard)
	if err != nil {
		log.Fatal(err)
	}
	send := func(attempt int) error {
		if attempt < 3 {
			return errors.New("the server is busy")
		}
		return nil
	}
	for attempt := 1; ; attempt++ {
		err := send(attempt)
		fmt.Println(attempt, err)
		if err == nil || !policy.Next(context.Background(), attempt, 0) {
			break
		}
	}
	// Output:
	// 1 the server is busy
	// 2 the server is busy
	// 3 <nil>
}
