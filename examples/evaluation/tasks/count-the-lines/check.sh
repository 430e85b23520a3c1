test "$(cat count.txt)" = 3
