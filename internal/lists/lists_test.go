package lists_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/lists"
)

func TestMap(t *testing.T) {
	if got := lists.Map([]int{1, 2}, strconv.Itoa); !cmp.Equal(got, []string{"1", "2"}) {
		t.Errorf("got %v", got)
	}
	if got := lists.Map([]int{}, strconv.Itoa); got != nil {
		t.Errorf("an empty list became %#v", got)
	}
}

func TestFilter(t *testing.T) {
	even := func(n int) bool { return n%2 == 0 }
	if got := lists.Filter([]int{1, 2, 3, 4}, even); !cmp.Equal(got, []int{2, 4}) {
		t.Errorf("got %v", got)
	}
	if got := lists.Filter([]int{1}, even); got != nil {
		t.Errorf("nothing became %#v", got)
	}
}

func TestCount(t *testing.T) {
	even := func(n int) bool { return n%2 == 0 }
	if got := [2]int{lists.Count([]int{1, 2, 3, 4}, even), lists.Count(nil, even)}; got != [2]int{2, 0} {
		t.Errorf("got %v", got)
	}
}

func TestAdd(t *testing.T) {
	shared := append(make([]int, 0, 4), 1, 1, 2)
	if got := lists.Add(shared, 2, 3, 3); !cmp.Equal(got, []int{1, 1, 2, 3}) {
		t.Errorf("got %v", got)
	}
	if got := shared[:4][3]; got != 0 {
		t.Errorf("the array of the list has %d now", got)
	}
	if got := lists.Add[int](nil); got != nil {
		t.Errorf("nothing became %#v", got)
	}
}

func TestSet(t *testing.T) {
	if got := lists.Set([]string{"a", "B", "b"}, strings.ToLower); !cmp.Equal(got, map[string]bool{"a": true, "b": true}) {
		t.Errorf("got %v", got)
	}
}

func TestSum(t *testing.T) {
	if got := lists.Sum([]string{"a", "", "bc"}, func(s string) int { return len(s) }); got != 3 {
		t.Errorf("got %d", got)
	}
}

func TestIndexes(t *testing.T) {
	if got := lists.Indexes(3); !cmp.Equal(got, []int{0, 1, 2}) {
		t.Errorf("got %v", got)
	}
}
