package storetest_test

import "testing"

func TestSharded(t *testing.T) { testSharded(t) }
