grep -q "^# Changelog" CHANGELOG.md && grep -q "without a changelog" README.md
