package shapes_test

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed/internal/shapes"
)

func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := shapes.New(10, time.Minute)
		c.Add("a")
		time.Sleep(40 * time.Second)
		c.Add("b")
		if !c.Has("a") || !c.Has("b") || c.Has("c") {
			t.Error("after 40 s: a and b are there, c is not")
		}
		time.Sleep(20 * time.Second)
		if c.Has("a") {
			t.Error("a is older than a minute; being asked for does not prolong it")
		}
		c.Add("b")
		time.Sleep(59 * time.Second)
		if !c.Has("b") {
			t.Error("b was added again less than a minute ago")
		}
	})
}

func TestSize(t *testing.T) {
	c := shapes.New(2, time.Hour)
	c.Add("a")
	c.Add("b")
	if !c.Has("a") { // now b is the one least recently used
		t.Error("a is gone")
	}
	c.Add("c")
	if !c.Has("a") || c.Has("b") || !c.Has("c") {
		t.Error("b had to go, and b alone")
	}
}

func TestConcurrentUse(t *testing.T) {
	c := shapes.New(8, time.Hour)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 1000 {
				key := strconv.Itoa(n % (i + 5))
				c.Add(key)
				c.Has(key)
			}
		})
	}
	wg.Wait()
	c.Add("last")
	if !c.Has("last") {
		t.Error("what was just added is there")
	}
}
