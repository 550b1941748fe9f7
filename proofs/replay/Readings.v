(** Index terms, conditions and values of loops: that they give those of a term, where its tensors are in memory. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Goals.
Import ListNotations.
Open Scope Z_scope.

(** What a row of evidence is for, from the left: each takes its own and leaves the others. *)
Definition chain {T} (x : option T) (f : T -> option T) : option T := match x with Some y => f y | None => None end.
Definition next (es : list evidence) (f : evidence -> bool) : option (list evidence) :=
  match es with e :: es => if f e then Some es else None | [] => None end.

Lemma next_some es f es' : next es f = Some es' -> exists e, f e = true.
Proof. destruct es as [|e es]; cbn; [easy|]. destruct (f e) eqn:F; [eauto|easy]. Qed.

(** * Index terms and conditions: every read is within its array *)
Section Index.
Variables (g : goal) (vs : list term).

Definition listed (b : string) (l : nat) (a : string * nat * term) : bool :=
  String.eqb b (fst (fst a)) && Nat.eqb (deep g + l) (snd (fst a)).

Fixpoint index_ok (w : index_word) (es : list evidence) : option (list evidence) :=
  match w with
  | IPlain _ => Some es
  | ICalc _ a b => chain (index_ok a es) (index_ok b)
  | IEntry b l i => chain (index_ok i es) (fun es =>
      match List.find (listed b l) (lists g) with
      | Some a => next es (shown g (inside (close (deep g) vs (index_term i)) (snd a)))
      | None => None
      end)
  end.
End Index.

Fixpoint test_ok (g : goal) (vs : list term) (w : test_word) (es : list evidence) : option (list evidence) :=
  match w with
  | TPlain _ => Some es
  | TCompare _ a b => chain (index_ok g vs a es) (index_ok g vs b)
  | TNot p => test_ok g vs p es
  | TBoth p q => chain (test_ok g vs p es) (test_ok (assuming (close_predicate (deep g) vs (test_term p)) g) vs q)
  | TEither p q => chain (test_ok g vs p es) (test_ok (assuming (Not (close_predicate (deep g) vs (test_term p))) g) vs q)
  end.

(** That is all there is. *)
Definition spent (x : option (list evidence)) : bool := match x with Some [] => true | _ => false end.

(** * Values *)
Inductive reading :=
| RLoad (reads inside : list evidence) (cell : evidence)
| RConst
| RIndex (reads : list evidence) (e : evidence)
| RView (r : reading) | ROne (r : reading) | RTwo (r s : reading) | RThree (r s t : reading)
| RGuard (reads : list evidence) (e : evidence) (r : reading) | RGuard_true (e : evidence) (r : reading) | RGuard_false (e : evidence)
| RSelect (reads : list evidence) (e : evidence) (r s : reading) | RSelect_true (e : evidence) (r : reading)
| RSelect_false (e : evidence) (r : reading).

Definition same_constant (c d : constant) : bool :=
  match c, d with CZero a, CZero b | CNamed a, CNamed b => Nat.eqb a b | _, _ => false end.

(** The variable that is read, with extents and indices, the outermost first. *)
Fixpoint read_at (t : tensor_word) (is : list (term * term)) : option (nat * list (term * term)) :=
  match t with ETensor k => Some (k, is) | EGet _ n t i => read_at t ((n, i) :: is) | _ => None end.

(** The extents are those of memory, and the indices in range. *)
Fixpoint in_reach (g : goal) (vs : list term) (s : list term) (is : list (term * term)) (es : list evidence) : bool :=
  match s, is, es with
  | [], [], [] => true
  | n :: s, (m, i) :: is, e :: es =>
      same_term n (close (deep g) vs m) && shown g (inside (close (deep g) vs i) n) e && in_reach g vs s is es
  | _, _, _ => false
  end.

(** The cell of an element, and that it is there. *)
Definition cell_term_of (s : list term) (w : option part_of_buffer) (is : list term) : term :=
  match w with None => flat_term s is | Some (r, ls, _) => cell_term r ls is end.
Fixpoint all_shown (g : goal) (ps : list predicate) (es : list evidence) : bool :=
  match ps, es with [], [] => true | p :: ps, e :: es => shown g p e && all_shown g ps es | _, _ => false end.
Definition there_ok (g : goal) (w : option part_of_buffer) (is : list term) (es : list evidence) : bool :=
  match w, es with None, [] => true | Some (_, _, ps), es => all_shown g (map (close_predicate 0 is) ps) es | _, _ => false end.

(** [vs] and [ks] are what the variables of the term stand for, [us] those of the loops. *)
Fixpoint reads_ok (g : goal) (us vs : list term) (ks : list nat) (v : value_word) (t : tensor_word) (r : reading) : bool :=
  match r, t, v with
  | RLoad reads inside cell, _, VLoad b i =>
      match read_at t [] with
      | Some (k, is) =>
          match nth_error ks k with
          | Some k =>
              match nth_error (tensors g) k with
              | Some (Some (b', s, w)) =>
                  let own := map (fun x => close (deep g) vs (snd x)) is in
                  String.eqb b b' && in_reach g vs s is (firstn (List.length s) inside) && there_ok g w own (skipn (List.length s) inside) &&
                  spent (index_ok g us i reads) && equals g (close (deep g) us (index_term i)) (cell_term_of s w own) cell
              | _ => false
              end
          | None => false
          end
      | None => false
      end
  | RConst, EConst c, VConst d => same_constant c d
  | RIndex reads e, EIndex f i, VIndex f' w =>
      Nat.eqb f f' && spent (index_ok g us w reads) && equals g (close (deep g) us (index_term w)) (close (deep g) vs i) e
  | RView r, EView t, _ => reads_ok g us vs ks v t r
  | ROne r, EOne f t, VOne f' v => Nat.eqb f f' && reads_ok g us vs ks v t r
  | RTwo r s, ETwo f t u, VTwo f' v w => Nat.eqb f f' && reads_ok g us vs ks v t r && reads_ok g us vs ks w u s
  | RThree r s q, EThree f t u x, VThree f' v w y =>
      Nat.eqb f f' && reads_ok g us vs ks v t r && reads_ok g us vs ks w u s && reads_ok g us vs ks y x q
  | RGuard reads e r, EGuard a p t, VChoose q v (VConst (CZero a')) =>
      let p := close_predicate (deep g) vs p in
      Nat.eqb a a' && spent (test_ok g us q reads) && alike g (close_predicate (deep g) us (test_term q)) p e &&
      reads_ok (assuming p g) us vs ks v t r
  | RGuard_true e r, EGuard _ p t, _ => shown g (close_predicate (deep g) vs p) e && reads_ok g us vs ks v t r
  | RGuard_false e, EGuard a p _, VConst (CZero a') => Nat.eqb a a' && denied g (close_predicate (deep g) vs p) e
  | RSelect reads e r s, ESelect p t u, VChoose q v w =>
      let p := close_predicate (deep g) vs p in
      spent (test_ok g us q reads) && alike g (close_predicate (deep g) us (test_term q)) p e &&
      reads_ok (assuming p g) us vs ks v t r && reads_ok (assuming (Not p) g) us vs ks w u s
  | RSelect_true e r, ESelect p t _, _ => shown g (close_predicate (deep g) vs p) e && reads_ok g us vs ks v t r
  | RSelect_false e r, ESelect p _ u, _ => denied g (close_predicate (deep g) vs p) e && reads_ok g us vs ks v u r
  | _, _, _ => false
  end.

(** * They are right *)
Ltac split_and := repeat match goal with H : (_ && _) = true |- _ => apply andb_true_iff in H; destruct H end.

Section Right.
Context {V : Type} (Any : algebra V) (S : signature V) (ints : arrays) (c0 : context).
Notation models := (models Any S ints c0).
Notation gives := (gives ints).
Notation decides := (decides ints).
Implicit Types (g : goal) (c : context) (T : list (tensor V)) (us vs : list term).

Lemma chain_some {U} (x : option U) f y : chain x f = Some y -> exists z, x = Some z /\ f z = Some y.
Proof. destruct x; cbn; [eauto|easy]. Qed.

Lemma spent_some x : spent x = true -> exists es, x = Some es.
Proof. destruct x; [eauto|easy]. Qed.

Lemma index_right g c T us w es es' : models g c T -> index_ok g us w es = Some es' ->
  gives (int_of c0 (worth c us) w) (Index.value c0 (worth c us) (index_term w)).
Proof.
  intros M. revert es es'. induction w as [t|b l i IH|op a IHa b IHb]; cbn [index_ok int_of index_term]; intros es es' H.
  - reflexivity.
  - apply chain_some in H as (fs & H & K). specialize (IH _ _ H).
    destruct (List.find (listed g b l) (lists g)) as [[[b' l'] n]|] eqn:F; [|easy]. apply next_some in K as (e & K).
    apply find_some in F as [F Q]. unfold listed in Q. cbn in Q, K. apply andb_true_iff in Q as [Q1 Q2].
    apply String.eqb_eq in Q1. apply Nat.eqb_eq in Q2. subst b' l'.
    apply (inside_range M) in K. rewrite (value_closed Any S ints c0 g c T _ _ M) in K.
    pose proof (lists_of _ _ _ _ _ _ _ M) as Li. rewrite Forall_forall in Li. specialize (Li _ F _ K). cbn in Li.
    unfold Lowering.gives in *. cbn [number_of]. rewrite IH. cbn [bind]. rewrite Li. cbn [Index.value map].
    destruct (context_of _ _ _ _ _ _ _ M) as (xs & E & L). rewrite E, <- L. unfold array. rewrite app_nth2_plus. reflexivity.
  - apply chain_some in H as (fs & H & K). exact (gives_calc _ _ _ _ _ (IHa _ _ H) (IHb _ _ K)).
Qed.

Lemma index_spent g c T us w es : models g c T -> spent (index_ok g us w es) = true ->
  gives (int_of c0 (worth c us) w) (Index.value c [] (close (deep g) us (index_term w))).
Proof.
  intros M H. apply spent_some in H as (es' & H). rewrite (value_closed Any S ints c0 g c T _ _ M). exact (index_right g c T us w _ _ M H).
Qed.

Lemma index_gives g c T us w es t e : models g c T -> spent (index_ok g us w es) = true ->
  equals g (close (deep g) us (index_term w)) t e = true -> gives (int_of c0 (worth c us) w) (Index.value c [] t).
Proof. intros M H E. apply (equals_value M) in E. rewrite <- E. exact (index_spent g c T us w es M H). Qed.

Lemma test_right g c T us w es es' : models g c T -> test_ok g us w es = Some es' ->
  decides (test_of c0 (worth c us) w) (Index.holds c0 (worth c us) (test_term w)).
Proof.
  revert g es es'. induction w as [p|r a b|p IH|p IHp q IHq|p IHp q IHq]; cbn [test_ok test_of test_term]; intros g es es' M H.
  - reflexivity.
  - apply chain_some in H as (fs & H & K).
    exact (decides_compare _ _ _ _ _ (index_right g c T us a _ _ M H) (index_right g c T us b _ _ M K)).
  - exact (decides_negate _ _ (IH g _ _ M H)).
  - apply chain_some in H as (fs & H & K). apply decides_both; [exact (IHp g _ _ M H)|]. intros P.
    apply (IHq (assuming (close_predicate (deep g) us (test_term p)) g) fs es'); [|exact K]. apply models_assuming; [|exact M].
    rewrite (holds_closed Any S ints c0 g c T _ _ M). exact P.
  - apply chain_some in H as (fs & H & K). apply decides_either; [exact (IHp g _ _ M H)|]. intros P.
    apply (IHq (assuming (Not (close_predicate (deep g) us (test_term p))) g) fs es'); [|exact K]. apply models_denying; [|exact M].
    rewrite (holds_closed Any S ints c0 g c T _ _ M). exact P.
Qed.

Lemma test_decides g c T us w es p e : models g c T -> spent (test_ok g us w es) = true ->
  alike g (close_predicate (deep g) us (test_term w)) p e = true -> decides (test_of c0 (worth c us) w) (Index.holds c [] p).
Proof.
  intros M H E. apply spent_some in H as (es' & H). apply (alike_holds M) in E. rewrite <- E.
  rewrite (holds_closed Any S ints c0 g c T _ _ M). exact (test_right g c T us w es es' M H).
Qed.

Lemma test_spent g c T us w es : models g c T -> spent (test_ok g us w es) = true ->
  decides (test_of c0 (worth c us) w) (Index.holds c0 (worth c us) (test_term w)).
Proof. intros M H. apply spent_some in H as (es' & H). exact (test_right g c T us w es es' M H). Qed.

(** * Loads *)
Lemma read_at_app t acc k is : read_at t acc = Some (k, is) -> exists js, is = js ++ acc.
Proof.
  revert acc. induction t; cbn; intros acc; try easy.
  - intros [= <- <-]. exists []. reflexivity.
  - intros H. apply IHt in H as (js & ->). exists (js ++ [(n, i)]). rewrite <- app_assoc. reflexivity.
Qed.

Lemma read_at_value bound ts t acc k is l : read_at t acc = Some (k, is) ->
  forall js, is = js ++ acc -> Forall (fun x => in_range (Index.value c0 bound (snd x)) (Index.value c0 bound (fst x)) = true) js ->
  tensor_of Any S c0 bound ts t l = nth k ts (scalar (zero Any)) (map (fun x => Index.value c0 bound (snd x)) js ++ l).
Proof.
  revert acc l. induction t; cbn [read_at]; intros acc l; try easy.
  - intros R js E _. injection R as <- <-. destruct js as [|j js]; [reflexivity|]. exfalso.
    assert (L : List.length acc = List.length ((j :: js) ++ acc)) by (rewrite <- E; reflexivity). rewrite app_length in L. cbn in L. lia.
  - intros H js E F. destruct (read_at_app _ _ _ _ H) as (xs & X). rewrite X in E, H.
    assert (Q : js = xs ++ [(n, i)]).
    { replace (xs ++ (n, i) :: acc) with ((xs ++ [(n, i)]) ++ acc) in E by (rewrite <- app_assoc; reflexivity).
      apply app_inv_tail in E. symmetry. exact E. }
    subst js. apply Forall_app in F as [F G]. inversion G as [|? ? I _]; subst. cbn in I.
    cbn [tensor_of]. unfold get. rewrite I. rewrite (IHt _ _ H xs eq_refl F), map_app, <- app_assoc. reflexivity.
Qed.

Lemma in_reach_right g c T vs s is es : models g c T -> in_reach g vs s is es = true ->
  inbox (map (fun x => Index.value c [] (close (deep g) vs (snd x))) is) (map (Index.value c []) s) /\
  Forall (fun x => in_range (Index.value c0 (worth c vs) (snd x)) (Index.value c0 (worth c vs) (fst x)) = true) is.
Proof.
  intros M. revert is es. induction s as [|n s IH]; intros [|[m i] is] [|e es]; cbn [in_reach]; try discriminate; [intros _; split; [exact I|constructor]|].
  intros H. split_and. destruct (IH _ _ H0) as [B F]. apply (same_term_value c) in H. apply (inside_range M) in H1. split.
  - cbn [map inbox fst snd]. split; [apply in_range_iff, H1|exact B].
  - constructor; [|exact F]. cbn [fst snd]. rewrite <- !(value_closed Any S ints c0 g c T _ _ M), <- H. exact H1.
Qed.

Lemma known_in c bs T k b : List.length T = List.length bs -> nth_error bs k = Some (Some b) ->
  exists t, nth_error T k = Some t /\ In (known_by c b t) (known_of c bs T).
Proof.
  revert T k. induction bs as [|[b'|] bs IH]; intros [|t T] [|k]; cbn; try easy.
  - intros _ [= ->]. exists t. auto.
  - intros L N. destruct (IH T k) as (u & U & I); [lia|exact N|]. exists u. auto.
  - intros L N. destruct (IH T k) as (u & U & I); [lia|exact N|]. exists u. auto.
Qed.

Lemma all_shown_right g c T ps is es : models g c T -> all_shown g (map (close_predicate 0 is) ps) es = true ->
  hold_at c ps (map (Index.value c []) is) = true.
Proof.
  intros M. revert es. induction ps as [|p ps IH]; intros [|e es]; cbn [map all_shown hold_at]; try easy. intros H. split_and.
  apply (shown_holds M) in H. rewrite holds_at_holds.
  pose proof (holds_close c [] [] is p) as E. cbn [app Datatypes.length] in E. rewrite E in H. rewrite H. exact (IH _ H0).
Qed.

Lemma cell_term_of_value c x s w (t : tensor V) is :
  Index.value c [] (cell_term_of s w is) = cell_at (known_by c (x, s, w) t) (map (Index.value c []) is).
Proof. destruct w as [[[r ls] ps]|]; cbn [cell_term_of known_by cell_at Known]; [apply cell_value|apply flat_term_value]. Qed.

Lemma there_ok_right g c T x s w (t : tensor V) is es : models g c T -> there_ok g w is es = true ->
  present (known_by c (x, s, w) t) (map (Index.value c []) is) = true.
Proof.
  intros M. destruct w as [[[r ls] ps]|]; cbn [there_ok known_by present Known]; [|reflexivity]. destruct es; apply (all_shown_right g c T ps is _ M).
Qed.

(** The tensors that the term's variables stand for. *)
Definition stand T ks : list (tensor V) := map (fun k => nth k T (scalar (zero Any))) ks.

Lemma stand_nth T ks k j t : nth_error ks k = Some j -> nth_error T j = Some t -> nth k (stand T ks) (scalar (zero Any)) = t.
Proof.
  intros K J. unfold stand. apply nth_error_nth. rewrite nth_error_map, K. cbn. f_equal. apply nth_error_nth, J.
Qed.

Lemma load_right g c T us vs ks b i t reads inside cell : models g c T ->
  reads_ok g us vs ks (VLoad b i) t (RLoad reads inside cell) = true ->
  Lowering.reads ints (known_of c (tensors g) T) (Load b (int_of c0 (worth c us) i)) (tensor_of Any S c0 (worth c vs) (stand T ks) t).
Proof.
  intros M H.
  assert (K : exists k is j s w, read_at t [] = Some (k, is) /\ nth_error ks k = Some j /\ nth_error (tensors g) j = Some (Some (b, s, w)) /\
      let own := map (fun x => close (deep g) vs (snd x)) is in
      in_reach g vs s is (firstn (List.length s) inside) && there_ok g w own (skipn (List.length s) inside) &&
      spent (index_ok g us i reads) && equals g (close (deep g) us (index_term i)) (cell_term_of s w own) cell = true).
  { assert (E : match read_at t [] with Some (k, is) => match nth_error ks k with Some k => match nth_error (tensors g) k with
        Some (Some (b', s, w)) =>
          let own := map (fun x => close (deep g) vs (snd x)) is in
          String.eqb b b' && in_reach g vs s is (firstn (List.length s) inside) && there_ok g w own (skipn (List.length s) inside) &&
          spent (index_ok g us i reads) && equals g (close (deep g) us (index_term i)) (cell_term_of s w own) cell
        | _ => false end | None => false end | None => false end = true) by (destruct t; exact H).
    destruct (read_at t []) as [[k is]|]; [|discriminate]. destruct (nth_error ks k) as [j|] eqn:K; [|discriminate].
    destruct (nth_error (tensors g) j) as [[[[b' s] w]|]|] eqn:N; try discriminate.
    exists k, is, j, s, w. cbn zeta in E |- *. rewrite <- !andb_assoc in E. apply andb_true_iff in E as [B E]. apply String.eqb_eq in B. subst b'.
    rewrite !andb_assoc in E. auto. }
  clear H. destruct K as (k & is & j & s & w & R & K & N & H). cbn zeta in H.
  split_and.
  destruct (in_reach_right g c T vs s is _ M H) as [B F].
  destruct (known_in c (tensors g) T j _ (many_of _ _ _ _ _ _ _ M) N) as (x & X & I).
  intros h W. rewrite Forall_forall in W. specialize (W _ I).
  assert (P := there_ok_right g c T b s w x _ _ M H2). assert (E := cell_term_of_value c b s w x (map (fun x => close (deep g) vs (snd x)) is)).
  cbn [eval]. rewrite (index_gives g c T us i reads _ cell M H1 H0). cbn [bind]. rewrite E. rewrite map_map in P |- *.
  assert (D : dims (known_by c (b, s, w) x) = map (Index.value c []) s /\ name (known_by c (b, s, w) x) = b /\ held (known_by c (b, s, w) x) = x).
  { destruct w as [[[r ls] ps]|]; repeat split. }
  destruct D as (D1 & D2 & D3). unfold holds in W. rewrite D1, D2, D3 in W. rewrite (W _ B P).
  rewrite (read_at_value _ _ t [] k is [] R is) by (rewrite ?app_nil_r; auto). rewrite app_nil_r, (stand_nth T ks k j x K X).
  do 2 f_equal. apply map_ext. intros y. apply (value_closed Any S ints c0 g c T _ _ M).
Qed.

Theorem reads_right g c T us vs ks v t r : models g c T -> reads_ok g us vs ks v t r = true ->
  Lowering.reads ints (known_of c (tensors g) T) (value_of Any S c0 (worth c us) v) (tensor_of Any S c0 (worth c vs) (stand T ks) t).
Proof.
  revert g v t. induction r as [reads inside cell| |reads e|r IH|r IH|r IHr s IHs|r IHr s IHs q IHq|reads e r IH|e r IH|e|reads e r IHr s IHs|e r IH|e r IH];
    intros g v t M H.
  - destruct v; try (destruct t; discriminate H). exact (load_right g c T us vs ks b i t reads inside cell M H).
  - destruct t; try discriminate H. destruct v; try discriminate H. cbn in H.
    assert (E : c1 = c2) by (destruct c1, c2; try discriminate H; apply Nat.eqb_eq in H; congruence). subst c2.
    apply reads_scalar.
  - destruct t; try discriminate H. destruct v; try discriminate H. cbn in H. split_and. apply Nat.eqb_eq in H. subst f0.
    cbn [value_of tensor_of]. apply reads_index.
    rewrite <- (value_closed Any S ints c0 g c T _ _ M). exact (index_gives g c T us i0 reads _ e M H1 H0).
  - destruct t; try discriminate H. cbn [tensor_of]. apply reads_view. apply IH; assumption.
  - destruct t; try discriminate H. destruct v; try discriminate H. cbn in H. split_and. apply Nat.eqb_eq in H. subst f0.
    apply reads_prim1. apply IH; assumption.
  - destruct t; try discriminate H. destruct v; try discriminate H. cbn in H. split_and. apply Nat.eqb_eq in H. subst f0.
    apply reads_prim2; auto.
  - destruct t; try discriminate H. destruct v; try discriminate H. cbn in H. split_and. apply Nat.eqb_eq in H. subst f0.
    apply reads_prim3; auto.
  - destruct t; try discriminate H. destruct v as [| | | | | |w v [[a'|]| | | | | |]]; try discriminate H. cbn in H. split_and.
    apply Nat.eqb_eq in H. subst a'.
    assert (D := test_decides g c T us w reads _ e M H2 H1).
    cbn [value_of tensor_of constant_of]. rewrite (holds_closed Any S ints c0 g c T _ _ M) in D.
    apply reads_guard; [exact D|]. intros P. apply (IH (assuming (close_predicate (deep g) vs p) g)); [|exact H0].
    apply models_assuming; [|exact M]. rewrite (holds_closed Any S ints c0 g c T _ _ M). exact P.
  - destruct t; try discriminate H. cbn in H. split_and. cbn [tensor_of]. apply reads_guard_true; [|apply IH; assumption].
    apply (shown_holds M) in H. rewrite (holds_closed Any S ints c0 g c T _ _ M) in H. exact H.
  - destruct t; try discriminate H. destruct v as [[a'|]| | | | | |]; try discriminate H. cbn in H. split_and.
    apply Nat.eqb_eq in H. subst a'. cbn [value_of tensor_of constant_of]. apply reads_guard_false.
    apply (denied_holds M) in H0. rewrite (holds_closed Any S ints c0 g c T _ _ M) in H0. exact H0.
  - destruct t; try discriminate H. destruct v; try discriminate H. cbn in H. split_and.
    assert (D := test_decides g c T us p0 reads _ e M H H2).
    cbn [value_of tensor_of]. rewrite (holds_closed Any S ints c0 g c T _ _ M) in D. apply reads_select; [exact D| |]; intros P.
    + apply (IHr (assuming (close_predicate (deep g) vs p) g)); [|exact H1].
      apply models_assuming; [|exact M]. rewrite (holds_closed Any S ints c0 g c T _ _ M). exact P.
    + apply (IHs (assuming (Not (close_predicate (deep g) vs p)) g)); [|exact H0].
      apply models_denying; [|exact M]. rewrite (holds_closed Any S ints c0 g c T _ _ M). exact P.
  - destruct t; try discriminate H. cbn in H. split_and. cbn [tensor_of]. apply reads_select_true; [|apply IH; assumption].
    apply (shown_holds M) in H. rewrite (holds_closed Any S ints c0 g c T _ _ M) in H. exact H.
  - destruct t; try discriminate H. cbn in H. split_and. cbn [tensor_of]. apply reads_select_false; [|apply IH; assumption].
    apply (denied_holds M) in H. rewrite (holds_closed Any S ints c0 g c T _ _ M) in H. exact H.
Qed.
End Right.
