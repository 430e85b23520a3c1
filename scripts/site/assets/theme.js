// Applies the reader's last choice before anything is painted.
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // storage is not available for this address
}
