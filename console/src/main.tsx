import { render } from 'preact';
import { App } from './app.js';
import './styles/index.css';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element #app');
// Programs answer the forms; the browser sends none.
root.addEventListener('submit', (event) => event.preventDefault());
render(<App />, root);
