// React with MUI, whose colours are variables of style sheets, and a Redux store that fetches what the shop sells.
import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import CardActions from '@mui/material/CardActions';
import CardContent from '@mui/material/CardContent';
import CardMedia from '@mui/material/CardMedia';
import Chip from '@mui/material/Chip';
import Container from '@mui/material/Container';
import CssBaseline from '@mui/material/CssBaseline';
import Fade from '@mui/material/Fade';
import Grid from '@mui/material/Grid';
import Grow from '@mui/material/Grow';
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import { createTheme, ThemeProvider } from '@mui/material/styles';
import Typography from '@mui/material/Typography';
import { configureStore, createAsyncThunk, createSlice } from '@reduxjs/toolkit';
import { Provider, useDispatch, useSelector } from 'react-redux';

const load = createAsyncThunk('goods/load', async () => (await fetch('/api/products?wait=400')).json());
const goods = createSlice({
  name: 'goods',
  initialState: { rows: null },
  reducers: {},
  extraReducers: (builder) => builder.addCase(load.fulfilled, (state, { payload }) => { state.rows = payload; }),
});
const store = configureStore({ reducer: { goods: goods.reducer } });
const theme = createTheme({
  cssVariables: true,
  colorSchemes: { light: { palette: { primary: { main: '#286a3c' } } }, dark: true },
  typography: { fontFamily: 'Georgia, serif' },
});

function Product({ product, i }) {
  return (
    <Grow in timeout={600 + i * 100}>
      <Grid size={4}>
        <Card variant="outlined" sx={{ borderColor: i % 2 ? 'primary.main' : 'divider' }}>
          <CardMedia component="img" image={product.image} alt={product.name} height="120" />
          <CardContent>
            <Typography gutterBottom variant="h5">{product.name}</Typography>
            <Typography color="text.secondary">{product.text}</Typography>
            <Chip label={product.group} />
          </CardContent>
          <CardActions><Button href={`/mui/goods/${product.id}`}>Have a look</Button></CardActions>
        </Card>
      </Grid>
    </Grow>
  );
}

function App() {
  const { rows } = useSelector((state) => state.goods);
  const dispatch = useDispatch();
  useEffect(() => {
    document.title = 'The shop by the gate';
    dispatch(load());
  }, [dispatch]);
  return (
    <Container component="main" sx={{ py: 4 }}>
      <Typography variant="h3" component="h1">The shop by the gate</Typography>
      <Alert severity="info">We deliver on Tuesdays, by bicycle.</Alert>
      <Grid container spacing={2}>
        {rows
          ? rows.map((product, i) => <Product key={product.id} product={product} i={i} />)
          : [1, 2, 3].map((i) => <Grid size={4} key={i}><Skeleton height={200} /></Grid>)}
      </Grid>
      <Fade in timeout={1000}><Paper sx={{ p: 2 }}>What is not here today is still growing.</Paper></Fade>
    </Container>
  );
}

createRoot(document.getElementById('root')).render(
  <Provider store={store}>
    <ThemeProvider theme={theme}><CssBaseline /><App /></ThemeProvider>
  </Provider>,
);
