package lru_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed/internal/lru"
)

func TestLeastRecentlyUsedIsDropped(t *testing.T) {
	c := lru.New[string, int](2, 0)
	c.Add("a", 1)
	c.Add("b", 2)
	c.Get("a")
	c.Add("c", 3)
	for key, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if _, ok := c.Get(key); ok != want {
			t.Errorf("%s: kept %v, want %v", key, ok, want)
		}
	}
	c.Add("a", 4)
	if v, _ := c.Get("a"); v != 4 {
		t.Errorf("a is %d after it was set to 4", v)
	}
}

func TestValuesExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := lru.New[string, int](2, time.Minute)
		c.Add("a", 1)
		time.Sleep(59 * time.Second)
		if _, ok := c.Get("a"); !ok {
			t.Error("expired too early")
		}
		time.Sleep(time.Second)
		if _, ok := c.Get("a"); ok {
			t.Error("did not expire, although only reads followed")
		}
	})
}

func TestSizeZero(t *testing.T) {
	c := lru.New[string, int](0, 0)
	c.Add("a", 1)
	if _, ok := c.Get("a"); ok {
		t.Error("a cache of size 0 kept a value")
	}
}

func TestConcurrentUse(t *testing.T) {
	c := lru.New[int, int](8, time.Hour)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 1000 {
				c.Add(i%16, g)
				c.Get((i + g) % 16)
			}
		})
	}
	wg.Wait()
}
