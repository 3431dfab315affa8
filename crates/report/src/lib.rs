//! Turns recorded runs into HTML, SVG and terminal pictures.
