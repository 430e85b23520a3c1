// Before anything is painted: the choice of the last visit.
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // no storage for this address
}
