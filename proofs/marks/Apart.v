(** Which cells a run touches, and that iterations which run at once touch different ones.

    [touched p h] lists the cells that [p] reads, sets, adds to or forgets when it runs from [h], except those of its own temporaries. What
    [fills] says of every memory says it of a memory in which one cell more cannot be read, set or added to without a trap. So the run
    does not touch that cell: no trace of machine code is needed to know it ([fills_touches]). Two iterations of a loop over rows
    therefore touch no cell in common but those of tensors that are read ([iterations_apart]). That a tensor which is read is stored to nowhere
    can be seen in the text: a step asks that what is stored goes to its target. *)
Require Import ZArith List Bool String Lia.
Require Export Atl.Nests.
Import ListNotations.
Open Scope Z_scope.

Section Apart.
Context {V : Type} (ints : arrays).
Notation run := (run ints).
Notation eval := (eval ints).
Implicit Types (h : memory V) (b c : string) (i j : Z) (v : value V) (p : statement V).

Definition cells_from (b : string) (lo hi : Z) : list (string * Z) :=
  map (fun k => (b, lo + Z.of_nat k)) (seq 0 (Z.to_nat (hi - lo))).

Fixpoint read_by v : list (string * Z) :=
  match v with
  | Const _ | OfInt _ _ => []
  | Load b i => match number_of ints i with Some i => [(b, i)] | None => [] end
  | Unary _ a => read_by a
  | Binary _ a b => read_by a ++ read_by b
  | Ternary _ a b c => read_by a ++ read_by b ++ read_by c
  | Choose p a b => match truth_of ints p with Some true => read_by a | Some false => read_by b | None => [] end
  end.

Definition named_cell (b : string) (i : int) : list (string * Z) := match number_of ints i with Some i => [(b, i)] | None => [] end.

Fixpoint touched (p : statement V) (h : memory V) : list (string * Z) :=
  match p with
  | Skip => []
  | Seq p q => touched p h ++ match run p h with Some h => touched q h | None => [] end
  | For lo hi f =>
      match number_of ints lo, number_of ints hi with
      | Some lo, Some hi =>
          flat_map (fun k => match iterate k (fun k => run (f (lo + Z.of_nat k))) h with
            Some h => touched (f (lo + Z.of_nat k)) h | None => [] end) (seq 0 (Z.to_nat (hi - lo)))
      | _, _ => []
      end
  | If q a b => match truth_of ints q with Some true => touched a h | Some false => touched b h | None => [] end
  | Alloc b s init p => filter (fun x => negb (String.eqb (fst x) b)) (touched p (put h b (Some (fresh (room s) init))))
  | Reset b _ => match h b with Some m => cells_from b 0 (size m) | None => [] end
  | Forget b lo hi => match number_of ints lo, number_of ints hi with Some lo, Some hi => cells_from b lo hi | _, _ => [] end
  | Store b i v | Replace b i v | Update _ b i v => named_cell b i ++ read_by v
  end.

(** * Memories that are the same, buffer by buffer *)
Definition same h h' : Prop := forall y, h y = h' y.

Lemma same_find h h' b i : same h h' -> find h b i = find h' b i.
Proof. intros E. apply find_eq, E. Qed.

Lemma same_eval h h' v : same h h' -> eval h v = eval h' v.
Proof.
  intros E. induction v; cbn; try reflexivity.
  - destruct (number_of ints i); [|reflexivity]. cbn. unfold load. rewrite (same_find h h'); auto.
  - rewrite IHv. reflexivity.
  - rewrite IHv1, IHv2. reflexivity.
  - rewrite IHv1, IHv2, IHv3. reflexivity.
  - rewrite IHv1, IHv2. reflexivity.
Qed.

Definition alike (x y : option (memory V)) : Prop := match x, y with Some h, Some h' => same h h' | None, None => True | _, _ => False end.

Lemma same_put h h' b m : same h h' -> same (put h b m) (put h' b m).
Proof. intros E y. unfold put. rewrite E. reflexivity. Qed.

Lemma same_change h h' b i f : same h h' -> alike (change h b i f) (change h' b i f).
Proof.
  intros E. unfold change. rewrite (E b). destruct (h' b) as [m|]; [|exact I]. cbn. rewrite (same_find h h' b i E).
  destruct (find h' b i) as [x|]; [|exact I]. cbn. destruct (f x); [|exact I]. cbn. apply same_put, E.
Qed.

Lemma same_run p : forall h h', same h h' -> alike (run p h) (run p h') /\ touched p h = touched p h'.
Proof.
  induction p as [|p IHp q IHq|lo hi f IH|q a IHa z IHz|b s init p IH|b init|b lo hi|b i v|b i v|f b i v]; intros h h' E; cbn.
  - split; [exact E|reflexivity].
  - destruct (IHp h h' E) as [R ->]. destruct (run p h) as [x|], (run p h') as [y|]; cbn in R |- *; try easy.
    destruct (IHq x y R) as [R' ->]. auto.
  - destruct (number_of ints lo) as [l|]; [|easy]. destruct (number_of ints hi) as [u|]; [|easy]. cbn.
    assert (N : forall n, alike (iterate n (fun k => run (f (l + Z.of_nat k))) h) (iterate n (fun k => run (f (l + Z.of_nat k))) h')).
    { induction n as [|n IHn]; [exact E|]. cbn.
      destruct (iterate n _ h) as [x|], (iterate n _ h') as [y|]; cbn in IHn |- *; try easy. apply IH, IHn. }
    split; [apply N|]. apply flat_map_ext. intros k. specialize (N k).
    destruct (iterate k _ h) as [x|], (iterate k _ h') as [y|]; cbn in N; try easy. apply IH, N.
  - destruct (truth_of ints q) as [[|]|]; [exact (IHa h h' E)|exact (IHz h h' E)|easy].
  - destruct (IH _ _ (same_put h h' b (Some (fresh (room s) init)) E)) as [R ->]. split; [|reflexivity].
    destruct (run p (put h b _)) as [x|], (run p (put h' b _)) as [y|]; cbn in R |- *; try easy. rewrite (E b). apply same_put, R.
  - rewrite (E b). split; [|reflexivity]. destruct (h' b); cbn; [apply same_put, E|exact I].
  - split; [|reflexivity]. destruct (number_of ints lo) as [l|]; [|exact I]. destruct (number_of ints hi) as [u|]; [|exact I]. cbn.
    rewrite (E b). destruct (h' b); cbn; [|exact I]. destruct (_ && _); [apply same_put, E|exact I].
  - split; [|reflexivity]. destruct (number_of ints i); [|exact I]. cbn. rewrite (same_eval h h' v E).
    destruct (eval h' v); [|exact I]. apply same_change, E.
  - split; [|reflexivity]. destruct (number_of ints i); [|exact I]. cbn. rewrite (same_eval h h' v E).
    destruct (eval h' v); [|exact I]. apply same_change, E.
  - split; [|reflexivity]. destruct (number_of ints i); [|exact I]. cbn. rewrite (same_eval h h' v E).
    destruct (eval h' v); [|exact I]. apply same_change, E.
Qed.

(** * A cell at which every access traps *)
Variables (b0 : string) (j0 : Z).
Definition closed h : Prop := find h b0 j0 = Some (Cell None true).

Lemma closed_or h : closed h \/ ~ closed h.
Proof.
  unfold closed. destruct (find h b0 j0) as [[[x|] [|]]|]; [right|right|left|right|right]; congruence.
Qed.

Lemma find_put_other h b m : b <> b0 -> find (put h b m) b0 j0 = find h b0 j0.
Proof. intros N. apply find_eq, put_other. congruence. Qed.

Lemma change_inv h b i f h' : change h b i f = Some h' ->
  exists x x', find h b i = Some x /\ f x = Some x' /\ (forall y, y <> b -> h' y = h y) /\ option_map size (h' b) = option_map size (h b) /\
    find h' b i = Some x' /\ forall j, j <> i -> find h' b j = find h b j.
Proof.
  intros R. unfold change in R. destruct (h b) as [m|] eqn:B; [|discriminate]. cbn in R. destruct (find h b i) as [c|] eqn:F; [|discriminate].
  cbn in R. destruct (f c) as [c'|] eqn:E; [|discriminate]. exists c, c'.
  destruct (change_some h b i f c c' F E) as (h1 & R1 & H). unfold change in R1. rewrite B in R1. cbn in R1. rewrite F in R1. cbn in R1.
  rewrite E in R1. cbn in R, R1. rewrite R in R1. injection R1 as <-. rewrite <- B. tauto.
Qed.

(** It does not become one. *)
Lemma stays_open p : forall h h', run p h = Some h' -> ~ closed h -> ~ closed h'.
Proof.
  induction p as [|p IHp q IHq|lo hi f IH|q a IHa z IHz|b s init p IH|b init|b lo hi|b i v|b i v|f b i v]; intros h h' R N; cbn in R.
  - injection R as <-. exact N.
  - destruct (run p h) as [x|] eqn:P; [|discriminate]. exact (IHq _ _ R (IHp _ _ P N)).
  - destruct (number_of ints lo) as [l|]; [|discriminate]. destruct (number_of ints hi) as [u|]; [|discriminate]. cbn in R.
    revert h' R. induction (Z.to_nat (u - l)) as [|n IHn]; intros h' R; cbn in R; [injection R as <-; exact N|].
    destruct (iterate n _ h) as [x|]; [|discriminate]. exact (IH _ _ _ R (IHn _ eq_refl)).
  - destruct (truth_of ints q) as [[|]|]; [exact (IHa _ _ R N)|exact (IHz _ _ R N)|discriminate].
  - destruct (run p _) as [x|] eqn:P; [|discriminate]. injection R as <-. unfold closed in *.
    destruct (String.eqb_spec b b0) as [->|D].
    + rewrite (find_eq _ h); [exact N|apply put_same].
    + rewrite find_put_other by exact D. apply (IH _ _ P). unfold closed. rewrite find_put_other by exact D. exact N.
  - destruct (h b) as [m|] eqn:B; [|discriminate]. injection R as <-. unfold closed in *. destruct (String.eqb_spec b b0) as [->|D].
    + unfold find. rewrite put_same. cbn. destruct (in_range j0 (size m)); cbn; congruence.
    + rewrite find_put_other by exact D. exact N.
  - destruct (number_of ints lo) as [l|]; [|discriminate]. destruct (number_of ints hi) as [u|]; [|discriminate]. cbn in R.
    destruct (h b) as [m|] eqn:B; [|discriminate]. cbn in R. destruct (_ && _); [|discriminate]. injection R as <-.
    unfold closed in *. destruct (String.eqb_spec b b0) as [->|D].
    + revert N. unfold find. rewrite put_same, B. cbn. destruct (in_range j0 (size m)); cbn; [|congruence].
      destruct ((l <=? j0) && (j0 <? u)); congruence.
    + rewrite find_put_other by exact D. exact N.
  - destruct (number_of ints i) as [k|]; [|discriminate]. cbn in R. destruct (eval h v) as [x|]; [|discriminate]. cbn in R.
    apply change_inv in R as (c & c' & F & E & O & _ & F' & K). unfold closed in *. destruct (String.eqb_spec b b0) as [->|D].
    + destruct (Z.eq_dec j0 k) as [->|M]; [|rewrite K by exact M; exact N]. rewrite F'.
      unfold set_cell in E. destruct (was_set c); [discriminate|]. injection E as <-. congruence.
    + rewrite (find_eq h' h); [exact N|]. apply O. congruence.
  - destruct (number_of ints i) as [k|]; [|discriminate]. cbn in R. destruct (eval h v) as [x|]; [|discriminate]. cbn in R.
    apply change_inv in R as (c & c' & F & E & O & _ & F' & K). unfold closed in *. destruct (String.eqb_spec b b0) as [->|D].
    + destruct (Z.eq_dec j0 k) as [->|M]; [|rewrite K by exact M; exact N]. rewrite F'. injection E as <-. congruence.
    + rewrite (find_eq h' h); [exact N|]. apply O. congruence.
  - destruct (number_of ints i) as [k|]; [|discriminate]. cbn in R. destruct (eval h v) as [x|]; [|discriminate]. cbn in R.
    apply change_inv in R as (c & c' & F & E & O & _ & F' & K). unfold closed in *. destruct (String.eqb_spec b b0) as [->|D].
    + destruct (Z.eq_dec j0 k) as [->|M]; [|rewrite K by exact M; exact N]. rewrite F'.
      unfold update_cell in E. destruct (content c); [|discriminate]. injection E as <-. congruence.
    + rewrite (find_eq h' h); [exact N|]. apply O. congruence.
Qed.

(** * Two memories that differ in that cell *)
Record but_closed h h' : Prop := {
  elsewhere : forall y, y <> b0 -> h' y = h y;
  same_size : option_map size (h' b0) = option_map size (h b0);
  same_cells : forall j, j <> j0 -> find h' b0 j = find h b0 j;
  is_closed : closed h'
}.

Lemma but_find h h' b j : but_closed h h' -> (b, j) <> (b0, j0) -> find h' b j = find h b j.
Proof.
  intros B N. destruct (String.eqb_spec b b0) as [->|D]; [|apply find_eq, (elsewhere _ _ B), D].
  apply (same_cells _ _ B). congruence.
Qed.

Lemma but_load h h' b j x : but_closed h h' -> load h' b j = Some x -> load h b j = Some x /\ (b, j) <> (b0, j0).
Proof.
  intros B L. assert (N : (b, j) <> (b0, j0)).
  { intros [= -> ->]. unfold load in L. rewrite (is_closed _ _ B) in L. discriminate. }
  split; [|exact N]. unfold load in *. rewrite <- (but_find h h' b j B N). exact L.
Qed.

Lemma but_eval h h' v : but_closed h h' -> forall x, eval h' v = Some x -> eval h v = Some x /\ ~ In (b0, j0) (read_by v).
Proof.
  intros B. induction v as [x|b i|f i|f a IHa|f a IHa z IHz|f a IHa z IHz u IHu|q a IHa z IHz]; cbn; intros y E.
  - auto.
  - destruct (number_of ints i) as [k|]; [|discriminate]. cbn in E. apply (but_load h h' b k y B) in E as [E N]. split; [exact E|].
    intros [H|[]]. apply N. exact H.
  - auto.
  - destruct (eval h' a) as [w|]; [|discriminate]. destruct (IHa _ eq_refl) as [-> N]. auto.
  - destruct (eval h' a) as [w|]; [|discriminate]. destruct (IHa _ eq_refl) as [-> N]. cbn in E |- *.
    destruct (eval h' z) as [w'|]; [|discriminate]. destruct (IHz _ eq_refl) as [-> N']. split; [exact E|]. rewrite in_app_iff. tauto.
  - destruct (eval h' a) as [w|]; [|discriminate]. destruct (IHa _ eq_refl) as [-> N]. cbn in E |- *.
    destruct (eval h' z) as [w'|]; [|discriminate]. destruct (IHz _ eq_refl) as [-> N']. cbn in E |- *.
    destruct (eval h' u) as [w''|]; [|discriminate]. destruct (IHu _ eq_refl) as [-> N'']. split; [exact E|]. rewrite !in_app_iff. tauto.
  - destruct (truth_of ints q) as [[|]|]; [exact (IHa _ E)|exact (IHz _ E)|discriminate].
Qed.

Lemma but_change h h' b i f k' : but_closed h h' -> change h' b i f = Some k' -> f (Cell None true) <> Some (Cell None true) -> closed k' ->
  (b, i) <> (b0, j0) /\ exists k, change h b i f = Some k /\ but_closed k k'.
Proof.
  intros B R W T. destruct (change_inv _ _ _ _ _ R) as (c & c' & F & E & O & S & F' & K).
  assert (N : (b, i) <> (b0, j0)).
  { intros [= -> ->]. rewrite (is_closed _ _ B) in F. injection F as <-. unfold closed in T. congruence. }
  split; [exact N|]. rewrite (but_find h h' b i B N) in F.
  destruct (change_some h b i f c c' F E) as (k & R1 & O1 & S1 & F1 & K1). exists k. split; [exact R1|].
  destruct (String.eqb_spec b b0) as [->|D].
  - assert (M : j0 <> i) by congruence. split.
    + intros y Y. rewrite O, O1 by exact Y. apply (elsewhere _ _ B), Y.
    + rewrite S, S1. apply (same_size _ _ B).
    + intros j J. destruct (Z.eq_dec j i) as [->|Q]; [congruence|]. rewrite K, K1 by exact Q. apply (same_cells _ _ B), J.
    + unfold closed. rewrite K by exact M. apply (is_closed _ _ B).
  - assert (E0 : k' b = k b).
    { unfold change in R, R1. rewrite (elsewhere _ _ B b D) in R. destruct (h b) as [m|]; [|discriminate]. cbn in R, R1.
      rewrite (but_find h h' b i B N) in R. destruct (find h b i) as [x|]; [|discriminate]. cbn in R, R1. destruct (f x); [|discriminate].
      cbn in R, R1. injection R as <-. injection R1 as <-. rewrite !put_same. reflexivity. }
    assert (D' : b0 <> b) by congruence. split.
    + intros y Y. destruct (String.eqb_spec y b) as [->|Q]; [exact E0|]. rewrite O, O1 by exact Q. apply (elsewhere _ _ B), Y.
    + rewrite (O b0 D'), (O1 b0 D'). apply (same_size _ _ B).
    + intros j J. rewrite (find_eq k' h' b0 j (O b0 D')), (find_eq k h b0 j (O1 b0 D')). apply (same_cells _ _ B), J.
    + unfold closed. rewrite (find_eq k' h' b0 j0 (O b0 D')). apply (is_closed _ _ B).
Qed.

Lemma but_put h h' b m : but_closed h h' -> b <> b0 -> but_closed (put h b m) (put h' b m).
Proof.
  intros B D. assert (D' : b0 <> b) by congruence. split.
  - intros y Y. unfold put. destruct (String.eqb y b); [reflexivity|]. apply (elsewhere _ _ B), Y.
  - rewrite !(put_other _ b m b0 D'). apply (same_size _ _ B).
  - intros j J. rewrite (find_eq (put h' b m) h'), (find_eq (put h b m) h) by apply put_other, D'. apply (same_cells _ _ B), J.
  - unfold closed. rewrite (find_eq (put h' b m) h') by apply put_other, D'. apply (is_closed _ _ B).
Qed.

Lemma cells_from_other b lo hi : b <> b0 -> ~ In (b0, j0) (cells_from b lo hi).
Proof. intros D I. apply in_map_iff in I as (k & [= H _] & _). exact (D H). Qed.

(** A run after which the cell is as closed as before did not touch it, and goes the same way where the cell is another. *)
Lemma closed_untouched p : forall h h' k', but_closed h h' -> run p h' = Some k' -> closed k' ->
  ~ In (b0, j0) (touched p h) /\ exists k, run p h = Some k /\ but_closed k k'.
Proof.
  induction p as [|p IHp q IHq|lo hi f IH|q a IHa z IHz|b s init p IH|b init|b lo hi|b i v|b i v|f b i v]; intros h h' k' B R C; cbn in R |- *.
  - injection R as <-. split; [easy|]. exists h. auto.
  - destruct (run p h') as [x|] eqn:P; [|discriminate].
    assert (Cx : closed x). { destruct (closed_or x) as [Q|Q]; [exact Q|]. destruct (stays_open q x k' R Q C). }
    destruct (IHp h h' x B P Cx) as (N & y & -> & By). cbn. destruct (IHq y x k' By R C) as (N' & k & -> & Bk).
    split; [rewrite in_app_iff; tauto|eauto].
  - destruct (number_of ints lo) as [l|]; [|discriminate]. destruct (number_of ints hi) as [u|]; [|discriminate]. cbn in R |- *.
    revert k' R C. induction (Z.to_nat (u - l)) as [|n IHn]; intros k' R C.
    + cbn in R. injection R as <-. split; [easy|]. exists h. auto.
    + cbn [iterate] in R |- *. destruct (iterate n _ h') as [x|] eqn:P; [|discriminate]. cbn [bind] in R.
      assert (Cx : closed x). { destruct (closed_or x) as [Q|Q]; [exact Q|]. destruct (stays_open _ x k' R Q C). }
      destruct (IHn x eq_refl Cx) as (N & y & Y & By). rewrite Y. cbn [bind]. destruct (IH _ y x k' By R C) as (N' & k & Rk & Bk).
      split; [|eauto]. rewrite seq_S, flat_map_app, in_app_iff. cbn [flat_map Nat.add]. rewrite Y, app_nil_r. tauto.
  - destruct (truth_of ints q) as [[|]|]; [exact (IHa _ _ _ B R C)|exact (IHz _ _ _ B R C)|discriminate].
  - destruct (run p (put h' b _)) as [x|] eqn:P; [|discriminate]. cbn in R. injection R as <-. destruct (String.eqb_spec b b0) as [->|D].
    + assert (E : same (put h' b0 (Some (fresh (room s) init))) (put h b0 (Some (fresh (room s) init)))).
      { intros y. unfold put. destruct (String.eqb_spec y b0) as [|Y]; [reflexivity|]. apply (elsewhere _ _ B), Y. }
      split. { intros I. apply filter_In in I as [_ I]. cbn in I. rewrite String.eqb_refl in I. discriminate. }
      destruct (same_run p _ _ E) as [A _]. rewrite P in A. destruct (run p (put h b0 _)) as [y|]; [|easy]. cbn in A.
      exists (put y b0 (h b0)). split; [reflexivity|]. split.
      * intros z Z. rewrite !put_other by exact Z. apply A.
      * rewrite !put_same. apply (same_size _ _ B).
      * intros j J. rewrite (find_eq (put x b0 (h' b0)) h'), (find_eq (put y b0 (h b0)) h) by apply put_same. apply (same_cells _ _ B), J.
      * exact C.
    + assert (Cx : closed x). { unfold closed in *. rewrite find_put_other in C by exact D. exact C. }
      destruct (IH _ _ x (but_put _ _ b _ B D) P Cx) as (N & y & -> & By). cbn. split.
      * intros I. apply filter_In in I as [I _]. exact (N I).
      * rewrite (elsewhere _ _ B b D). eexists. split; [reflexivity|]. exact (but_put _ _ b _ By D).
  - destruct (h' b) as [m|] eqn:M; [|discriminate]. injection R as <-. destruct (String.eqb_spec b b0) as [->|D].
    + exfalso. unfold closed, find in C. rewrite put_same in C. cbn in C. destruct (in_range j0 (size m)); cbn in C; congruence.
    + rewrite <- (elsewhere _ _ B b D), M. split; [apply cells_from_other, D|]. cbn. eexists. split; [reflexivity|]. exact (but_put _ _ b _ B D).
  - destruct (number_of ints lo) as [l|]; [|discriminate]. destruct (number_of ints hi) as [u|]; [|discriminate]. cbn in R |- *.
    destruct (h' b) as [m'|] eqn:M'; [|discriminate]. cbn in R. destruct ((0 <=? l) && (u <=? size m')) eqn:W; [|discriminate].
    injection R as <-. destruct (String.eqb_spec b b0) as [->|D].
    + assert (S := same_size _ _ B). rewrite M' in S. destruct (h b0) as [m|] eqn:M; [|discriminate]. cbn in S |- *. injection S as S.
      rewrite <- S, W. assert (O : (l <=? j0) && (j0 <? u) = false).
      { unfold closed, find in C. rewrite put_same in C. cbn in C. destruct (in_range j0 (size m')); [|discriminate]. cbn in C.
        destruct ((l <=? j0) && (j0 <? u)); [discriminate|reflexivity]. }
      split.
      * intros I. apply in_map_iff in I as (k & [= H] & I). apply in_seq in I. lia.
      * eexists. split; [reflexivity|]. split.
        -- intros y Y. rewrite !put_other by exact Y. apply (elsewhere _ _ B), Y.
        -- rewrite !put_same. cbn. congruence.
        -- intros j J. assert (F := same_cells _ _ B j J). unfold find in F |- *. rewrite M, M' in F. rewrite !put_same. cbn in F |- *.
           rewrite S in F |- *. destruct (in_range j (size m)); [|reflexivity]. cbn in F |- *. injection F as F. rewrite F. reflexivity.
        -- exact C.
    + rewrite <- (elsewhere _ _ B b D), M'. cbn. rewrite W. split; [apply cells_from_other, D|]. eexists. split; [reflexivity|]. exact (but_put _ _ b _ B D).
  - destruct (number_of ints i) as [j|] eqn:J; [|discriminate]. cbn in R |- *. destruct (eval h' v) as [x|] eqn:X; [|discriminate]. cbn in R.
    destruct (but_eval h h' v B x X) as [-> N]. cbn. destruct (but_change h h' b j _ k' B R ltac:(discriminate) C) as (N' & k & Rk & Bk).
    split; [|eauto]. unfold named_cell. rewrite J. cbn. intros [H|H]; [exact (N' H)|exact (N H)].
  - destruct (number_of ints i) as [j|] eqn:J; [|discriminate]. cbn in R |- *. destruct (eval h' v) as [x|] eqn:X; [|discriminate]. cbn in R.
    destruct (but_eval h h' v B x X) as [-> N]. cbn. destruct (but_change h h' b j _ k' B R ltac:(discriminate) C) as (N' & k & Rk & Bk).
    split; [|eauto]. unfold named_cell. rewrite J. cbn. intros [H|H]; [exact (N' H)|exact (N H)].
  - destruct (number_of ints i) as [j|] eqn:J; [|discriminate]. cbn in R |- *. destruct (eval h' v) as [x|] eqn:X; [|discriminate]. cbn in R.
    destruct (but_eval h h' v B x X) as [-> N]. cbn. destruct (but_change h h' b j _ k' B R ltac:(discriminate) C) as (N' & k & Rk & Bk).
    split; [|eauto]. unfold named_cell. rewrite J. cbn. intros [H|H]; [exact (N' H)|exact (N H)].
Qed.

(** The memory with the cell closed. *)
Definition close_cell h : memory V :=
  put h b0 (option_map (fun m => Buffer (size m) (fun j => if j =? j0 then Cell None true else cells m j)) (h b0)).

Lemma close_cell_but h : find h b0 j0 <> None -> but_closed h (close_cell h).
Proof.
  intros F. unfold close_cell. split.
  - intros y Y. apply put_other, Y.
  - rewrite put_same. destruct (h b0); reflexivity.
  - intros j J. unfold find. rewrite put_same. destruct (h b0) as [m|]; [|reflexivity]. cbn. destruct (in_range j (size m)); [|reflexivity].
    apply Z.eqb_neq in J. rewrite J. reflexivity.
  - unfold closed, find in *. rewrite put_same. destruct (h b0) as [m|]; [|easy]. cbn in F |- *.
    destruct (in_range j0 (size m)); [|easy]. rewrite Z.eqb_refl. reflexivity.
Qed.
End Apart.

Section Iterations.
Context {V : Type} (A : algebra V) (ints : arrays).
Notation fills := (fills ints A).
Notation touched := (touched ints).
Implicit Types (G : list (known V)) (h : memory V) (b c : string) (s : shape) (C : index -> bool) (t : tensor V) (place : index -> Z) (k : kind).

(** What fills cells touches these, and tensors that are read, and none else that was there. *)
Theorem fills_touches G p b s C place t k h c j : fills G [] p b s C place t k ->
  apart G [] b = true -> injective (live s C) place -> world h G [] ->
  (forall l, live s C l -> exists x, find h b (place l) = Some x /\ before A k x) ->
  ~ In c (map name G) -> (c = b -> forall l, live s C l -> place l <> j) -> find h c j <> None -> ~ In (c, j) (touched p h).
Proof.
  intros F Ap J W Bf N O T. assert (B := close_cell_but c j h T).
  destruct (F Ap J (close_cell c j h)) as (h' & R & Out).
  - split; [|constructor]. destruct W as [W _]. rewrite Forall_forall in *. intros x I. apply (holds_eq h); [|exact (W x I)].
    apply (elsewhere _ _ _ _ B). intros E. apply N. rewrite <- E. apply in_map, I.
  - intros l L. destruct (Bf l L) as (x & Fd & Bx). exists x. split; [|exact Bx].
    rewrite (but_find c j h _ b (place l) B); [exact Fd|]. intros [= E1 E2]. exact (O (eq_sym E1) l L E2).
  - refine (proj1 (closed_untouched ints c j p h _ h' B R _)). unfold closed.
    destruct (String.eqb_spec c b) as [->|D].
    + rewrite (frame _ _ _ _ _ _ _ _ _ Out) by (apply O; reflexivity). apply (is_closed _ _ _ _ B).
    + rewrite (find_eq h' (close_cell c j h)); [apply (is_closed _ _ _ _ B)|]. apply (others _ _ _ _ _ _ _ _ _ Out); [exact D|easy].
Qed.

(** Two iterations of a loop over rows, whatever ran before either. *)
Theorem iterations_apart G n s (body : Z -> statement V) b C place g k : apart G [] b = true -> injective (live (n :: s) C) place ->
  (forall i, (0 <=? i) = true -> (i <? n) = true -> fills G [] (body i) b s (fun l => C (i :: l)) (fun l => place (i :: l)) (g i) k) ->
  forall i i' h h' c j, 0 <= i < n -> 0 <= i' < n -> i <> i' -> world h G [] -> world h' G [] ->
  (forall l, row s C i l -> exists x, find h b (place (i :: l)) = Some x /\ before A k x) ->
  (forall l, row s C i' l -> exists x, find h' b (place (i' :: l)) = Some x /\ before A k x) ->
  ~ In c (map name G) -> find h c j <> None -> find h' c j <> None -> In (c, j) (touched (body i) h) -> ~ In (c, j) (touched (body i') h').
Proof.
  intros Ap J F i i' h h' c j I I' D W W' Bf Bf' N T T' H.
  assert (F1 := F i ltac:(apply Z.leb_le; lia) ltac:(apply Z.ltb_lt; lia)).
  assert (F2 := F i' ltac:(apply Z.leb_le; lia) ltac:(apply Z.ltb_lt; lia)).
  apply (fills_touches _ _ _ _ _ _ _ _ h' c j F2 Ap (row_injective n s C place J i' I') W' Bf' N); [|exact T'].
  intros -> l L E. revert H.
  apply (fills_touches _ _ _ _ _ _ _ _ h b j F1 Ap (row_injective n s C place J i I) W Bf N); [|exact T].
  intros _ l' L' E'. assert (Q : i :: l' = i' :: l); [|injection Q as Q _; exact (D Q)].
  apply J; [exact (row_live n s C i l' I L')|exact (row_live n s C i' l I' L)|congruence].
Qed.
End Iterations.
