(** Windows that are carried along a loop: a matrix of which the next iteration has all rows but the last one from this iteration.

    The first iteration computes all rows. A later one moves the second row to the first, and so on, and computes the last one. That it
    has these rows is what [moves] says below: row [r] of an iteration equals row [r + 1] of the one before. *)
Require Import ZArith List Bool String Lia.
Require Export Atl.Written.
Import ListNotations.
Open Scope Z_scope.

Section Windows.
Context {V : Type} {ints : arrays} (A : algebra V).
Notation run := (run ints).
Notation fills := (fills ints A).
Notation gives := (gives ints).
Notation decides := (decides ints).
Variables (G : list (known V)) (X : scratch) (x : string) (n w : Z).
Implicit Types (p q : statement V) (t u : Z -> tensor V) (h : memory V) (P Q : memory V -> Prop) (k m r i : Z).

Definition cell_of r i : Z := flat [n; w] [r; i].

(** The first [m] rows are there. *)
Definition keeps m t h : Prop := option_map size (h x) = Some (room [n; w]) /\
  forall r i, 0 <= r < m -> 0 <= i < w -> load h x (cell_of r i) = Some (t r [i]).

(** And those of row [k] may be set. *)
Definition opened k m t h : Prop := option_map size (h x) = Some (room [n; w]) /\
  (forall r i, 0 <= r < m -> r <> k -> 0 <= i < w -> load h x (cell_of r i) = Some (t r [i])) /\
  forall i, 0 <= i < w -> find h x (cell_of k i) = Some (Cell None false).

(** A statement that changes this buffer, and scratch. *)
Definition turns p P Q : Prop := forall h, world h G X -> P h ->
  exists h', run p h = Some h' /\ (forall y, y <> x -> ~ In y (map fst X) -> h' y = h y) /\ there h' X /\ Q h'.

Hypothesis Apart : apart G X x = true.

Lemma world_others h h' : (forall y, y <> x -> ~ In y (map fst X) -> h' y = h y) -> there h' X -> world h G X -> world h' G X.
Proof using Apart.
  intros O T [W _]. destruct (apart_names G X x Apart) as [Gx _]. split; [|exact T]. rewrite Forall_forall in *. intros z I.
  apply (holds_eq h); [|exact (W z I)]. apply O; apply Gx, I.
Qed.

Lemma turns_seq p q P Q (S : memory V -> Prop) : turns p P Q -> turns q Q S -> turns (Seq p q) P S.
Proof using Apart.
  intros F K h W H. destruct (F h W H) as (h1 & R1 & O1 & T1 & H1).
  destruct (K h1 (world_others h h1 O1 T1 W) H1) as (h2 & R2 & O2 & T2 & H2).
  exists h2. cbn [Loops.run]. rewrite R1. split; [exact R2|]. split; [|split; assumption].
  intros y N I. rewrite O2, O1; auto.
Qed.

Lemma turns_then p P P' Q Q' : (forall h, P' h -> P h) -> (forall h, Q h -> Q' h) -> turns p P Q -> turns p P' Q'.
Proof using. intros E E' F h W H. destruct (F h W (E h H)) as (h' & R & O & T & H'). exists h'. auto. Qed.

Lemma cell_in r i : 0 <= r < n -> 0 <= i < w -> in_range (cell_of r i) (room [n; w]) = true.
Proof using. intros R I. apply flat_in_room. cbn. auto. Qed.

Lemma cell_same r r' i i' : 0 <= i < w -> 0 <= i' < w -> cell_of r i = cell_of r' i' -> r = r' /\ i = i'.
Proof using. unfold cell_of. cbn [flat extent]. intros. assert (r = r') by nia. subst. lia. Qed.

(** * One row *)
Hypothesis W0 : 0 <= w.

Lemma room_cells : 0 <= n -> room [n; w] = n * w.
Proof using W0. intros N. cbn [room]. rewrite !Z.max_r by assumption. ring. Qed.

Lemma turns_forget lo hi k m t : 0 <= k < n -> m <= n -> gives lo (k * w) -> gives hi ((k + 1) * w) ->
  turns (Forget x lo hi) (keeps m t) (opened k m t).
Proof using Apart W0.
  intros K M E1 E2 h W [S H]. destruct (h x) as [b|] eqn:B; [|easy]. cbn in S. injection S as S.
  exists (put h x (Some (forgotten (k * w) ((k + 1) * w) b))). cbn [Loops.run]. rewrite E1, E2, B. cbn [bind].
  rewrite (proj2 (Z.leb_le 0 _)), (proj2 (Z.leb_le _ (size b))) by (rewrite ?S, ?room_cells; nia). cbn [andb].
  split; [reflexivity|]. split; [intros y N _; apply put_other, N|].
  destruct (apart_names G X x Apart) as [_ Xx]. destruct W as [_ T]. split.
  { unfold there in *. rewrite Forall_forall in *. intros z I. rewrite put_other; [auto|]. intros E. apply Xx. rewrite <- E. apply in_map, I. }
  split; [rewrite put_same; cbn; congruence|]. split.
  - intros r i R N I. rewrite <- (H r i R I). unfold load, find. rewrite put_same, B. cbn [bind size forgotten cells].
    destruct (in_range (cell_of r i) (size b)); [|reflexivity]. cbn [bind].
    replace ((k * w <=? cell_of r i) && (cell_of r i <? (k + 1) * w)) with false; [reflexivity|].
    symmetry. apply andb_false_iff. rewrite Z.leb_gt, Z.ltb_ge. unfold cell_of. cbn [flat extent]. nia.
  - intros i I. unfold find. rewrite put_same. cbn [bind size forgotten cells]. rewrite S, cell_in by lia. cbn [bind].
    rewrite (proj2 (Z.leb_le _ _)), (proj2 (Z.ltb_lt _ _)) by (unfold cell_of; cbn [flat extent]; nia). reflexivity.
Qed.

(** The row after those that are there is computed. *)
Lemma turns_new p m t : 0 <= m < n ->
  fills G X p x [w] all (fun l => flat [n; w] (m :: l)) (t m) Unset -> turns p (opened m m t) (keeps (m + 1) t).
Proof using Apart.
  intros M F h W (S & H & Hm).
  destruct (F Apart) with (h := h) as (h' & R & [O Sz K Fr Re]); [|exact W| |].
  - intros l l' [B _] [B' _] E. assert (Q : m :: l = m :: l').
    { apply (flat_injective [n; w]); [split; [lia|exact B]|split; [lia|exact B']|exact E]. }
    congruence.
  - intros [|i [|j l]] [B _]; try (now destruct B). destruct B as [I _]. exists (Cell None false). split; [apply (Hm i I)|reflexivity].
  - exists h'. split; [exact R|]. split; [exact O|]. split; [apply K, W|]. split; [rewrite Sz; exact S|].
    intros r i Rr I. destruct (Z.eq_dec r m) as [->|N].
    + destruct (Re [i] (Cell None false)) as (c & Fc & Ec).
      * split; [split; [exact I|exact Logic.I]|reflexivity].
      * apply (Hm i I).
      * reflexivity.
      * unfold load. unfold cell_of. rewrite Fc. cbn in Ec |- *. exact Ec.
    + rewrite <- (H r i) by lia. unfold load. rewrite Fr; [reflexivity|].
      intros [|i' [|j l]] [B _]; try (now destruct B). destruct B as [I' _]. intros E. symmetry in E.
      apply (cell_same r m i i' I I') in E. lia.
Qed.
(** The first [k] rows have moved. *)
Definition moved k t : Z -> tensor V := fun r => t (if r <? k then r + 1 else r).

Lemma turns_copy lo hi (d c : Z -> int) k t : 0 <= k -> k + 1 < n -> gives lo 0 -> gives hi w ->
  (forall i, (0 <=? i) = true -> (i <? w) = true -> gives (d i) (cell_of k i)) ->
  (forall i, (0 <=? i) = true -> (i <? w) = true -> gives (c i) (cell_of (k + 1) i)) ->
  turns (For lo hi (fun i => Store x (d i) (Load x (c i)))) (opened k n (moved k t)) (keeps n (moved (k + 1) t)).
Proof using Apart W0.
  intros K N E1 E2 D C h W (S & H & Hk). cbn [Loops.run]. rewrite E1, E2. cbn [bind]. rewrite Z.sub_0_r.
  assert (It : forall j, Z.of_nat j <= w -> exists h',
    iterate j (fun a => run (Store x (d (0 + Z.of_nat a)) (Load x (c (0 + Z.of_nat a))))) h = Some h' /\
    (forall y, y <> x -> h' y = h y) /\ option_map size (h' x) = Some (room [n; w]) /\
    (forall r i, 0 <= r < n -> r <> k -> 0 <= i < w -> load h' x (cell_of r i) = Some (moved k t r [i])) /\
    (forall i, 0 <= i < Z.of_nat j -> load h' x (cell_of k i) = Some (moved k t (k + 1) [i])) /\
    (forall i, Z.of_nat j <= i < w -> find h' x (cell_of k i) = Some (Cell None false))).
  { induction j as [|j IH]; intros J.
    - exists h. split; [reflexivity|]. split; [reflexivity|]. split; [exact S|]. split; [exact H|]. split; [intros; lia|]. intros i I. apply Hk. lia.
    - destruct IH as (h1 & R1 & O1 & S1 & H1 & M1 & K1); [lia|].
      assert (Ij : 0 <= Z.of_nat j < w) by lia.
      destruct (change_some h1 x (cell_of k (Z.of_nat j)) (set_cell (moved k t (k + 1) [Z.of_nat j])) (Cell None false)
        (Cell (Some (moved k t (k + 1) [Z.of_nat j])) true)) as (h2 & C2 & O2 & S2 & F2 & U2); [apply K1; lia|reflexivity|].
      exists h2. split.
      { cbn [iterate]. rewrite R1. cbn [bind Loops.run eval]. rewrite Z.add_0_l.
        rewrite D, C by (apply Z.leb_le || apply Z.ltb_lt; lia). cbn [bind]. rewrite H1 by lia. exact C2. }
      split; [intros y Ny; rewrite O2, O1; auto|]. split; [rewrite S2; exact S1|]. split; [|split].
      + intros r i R Nr I. rewrite <- (H1 r i R Nr I). unfold load. rewrite U2; [reflexivity|].
        intros E. apply cell_same in E; lia.
      + intros i I. destruct (Z.eq_dec i (Z.of_nat j)) as [->|Ni].
        * unfold load. rewrite F2. reflexivity.
        * rewrite <- (M1 i) by lia. unfold load. rewrite U2; [reflexivity|]. intros E. apply cell_same in E; lia.
      + intros i I. rewrite <- (K1 i) by lia. apply U2. intros E. apply cell_same in E; lia. }
  destruct (It (Z.to_nat w)) as (h' & R & O & S' & H' & M' & _); [lia|].
  exists h'. split; [exact R|]. split; [auto|]. split.
  - destruct (apart_names G X x Apart) as [_ Xx]. destruct W as [_ T]. unfold there in *. rewrite Forall_forall in *. intros z I.
    rewrite O; [auto|]. intros E. apply Xx. rewrite <- E. apply in_map, I.
  - split; [exact S'|]. intros r i Rr I. unfold moved. destruct (Z.eq_dec r k) as [->|Nr].
    + rewrite (proj2 (Z.ltb_lt _ _)) by lia. rewrite (M' i) by lia. unfold moved. rewrite (proj2 (Z.ltb_ge _ _)) by lia. reflexivity.
    + rewrite (H' r i Rr Nr I). unfold moved. destruct (Z.ltb_spec r k), (Z.ltb_spec r (k + 1)); try lia; reflexivity.
Qed.
Lemma turns_move lo hi lo' hi' (d c : Z -> int) k t : (0 <=? k) && (k + 1 <? n) = true ->
  gives lo (k * w) -> gives hi ((k + 1) * w) -> gives lo' 0 -> gives hi' w ->
  (forall i, (0 <=? i) = true -> (i <? w) = true -> gives (d i) (cell_of k i)) ->
  (forall i, (0 <=? i) = true -> (i <? w) = true -> gives (c i) (cell_of (k + 1) i)) ->
  turns (Seq (Forget x lo hi) (For lo' hi' (fun i => Store x (d i) (Load x (c i))))) (keeps n (moved k t)) (keeps n (moved (k + 1) t)).
Proof using Apart W0.
  rewrite andb_true_iff, Z.leb_le, Z.ltb_lt. intros [K N] E1 E2 E3 E4 D C.
  apply turns_seq with (Q := opened k n (moved k t)); [apply turns_forget; assumption || lia|apply turns_copy; assumption].
Qed.

Lemma turns_moves lo hi lo' hi' (d c : Z -> int) k t q Q : (0 <=? k) && (k + 1 <? n) = true ->
  gives lo (k * w) -> gives hi ((k + 1) * w) -> gives lo' 0 -> gives hi' w ->
  (forall i, (0 <=? i) = true -> (i <? w) = true -> gives (d i) (cell_of k i)) ->
  (forall i, (0 <=? i) = true -> (i <? w) = true -> gives (c i) (cell_of (k + 1) i)) ->
  turns q (keeps n (moved (k + 1) t)) Q ->
  turns (Seq (Forget x lo hi) (Seq (For lo' hi' (fun i => Store x (d i) (Load x (c i)))) q)) (keeps n (moved k t)) Q.
Proof using Apart W0.
  intros K E1 E2 E3 E4 D C F h W H.
  destruct (turns_seq _ q _ _ Q (turns_move lo hi lo' hi' d c k t K E1 E2 E3 E4 D C) F h W H) as (h' & R & Y).
  exists h'. split; [|exact Y]. cbn [Loops.run] in R |- *.
  destruct (number_of ints lo); [|easy]. destruct (number_of ints hi); [|easy]. cbn [bind] in R |- *.
  destruct (h x); [|easy]. cbn [bind] in R |- *. destruct ((0 <=? z) && (z0 <=? size b)); [|easy]. exact R.
Qed.

(** The first iteration's, in new memory. *)
Lemma turns_begun p m t : 0 <= m <= n -> fills G X p x [m; w] all (flat [n; w]) (gen m t) Unset ->
  turns p (fun h => h x = Some (fresh (room [n; w]) None)) (keeps m t).
Proof using Apart.
  intros M F h W H.
  assert (In : forall l, live [m; w] all l -> inbox l [n; w]).
  { intros [|r l] [B _]; [easy|]. destruct B as [R B]. split; [lia|exact B]. }
  assert (Fd : forall l, live [m; w] all l -> find h x (flat [n; w] l) = Some (Cell None false)).
  { intros l L. unfold find. rewrite H. cbn [bind size fresh cells]. rewrite flat_in_room by apply In, L. reflexivity. }
  destruct (F Apart) with (h := h) as (h' & R & [O S K _ Re]); [|exact W| |].
  - intros l l' L L' E. apply (flat_injective [n; w]); auto.
  - intros l L. exists (Cell None false). split; [apply Fd, L|reflexivity].
  - exists h'. split; [exact R|]. split; [exact O|]. split; [apply K, W|]. split; [rewrite S, H; reflexivity|].
    intros r i Rr I. assert (L : live [m; w] all [r; i]) by (split; [cbn; auto|reflexivity]).
    destruct (Re [r; i] _ L (Fd _ L) eq_refl) as (c & Fc & Ec). unfold load, cell_of. rewrite Fc. exact Ec.
Qed.

(** * The loop *)
Lemma keeps_holds t h : keeps n t h -> holds h (Known x [n; w] (gen n t)).
Proof using. intros [_ H] [|r [|i [|j l]]] B _; cbn in B; try tauto. apply H; apply B. Qed.

(** An iteration's window, when the If is done: all of its rows but the last one are there. *)
Lemma turns_window (c : test) bg mv lo hi q t (first : bool) P : 0 < n -> decides c first ->
  gives lo ((n - 1) * w) -> gives hi (n * w) ->
  (first = true -> turns bg P (keeps (n - 1) t)) -> (first = false -> turns mv P (keeps (n - 1) t)) ->
  fills G X q x [w] all (fun l => flat [n; w] (n - 1 :: l)) (t (n - 1)) Unset ->
  turns (Seq (If c bg mv) (Seq (Forget x lo hi) q)) P (keeps n t).
Proof using Apart W0.
  intros N D E1 E2 B M F. apply turns_seq with (Q := keeps (n - 1) t).
  - intros h W H. cbn [Loops.run]. rewrite D. cbn [bind]. destruct first; [apply B|apply M]; auto.
  - apply turns_seq with (Q := opened (n - 1) (n - 1) t).
    + apply turns_forget; try lia; [exact E1|]. replace (n - 1 + 1) with n by lia. exact E2.
    + replace n with (n - 1 + 1) at 3 by lia. apply turns_new; [lia|exact F].
Qed.
End Windows.

Section Carried.
Context {V : Type} {ints : arrays} (A : algebra V).
Notation run := (run ints).
Notation fills := (fills ints A).
Notation gives := (gives ints).
Notation decides := (decides ints).
Notation turns := (turns (ints := ints)).
Implicit Types (G : list (known V)) (X : scratch) (x b : string) (C : index -> bool) (place : index -> Z) (k : kind).

(** Before an iteration: the memory is new, or has the rows of the iteration before. *)
Definition ready x n w (t : Z -> Z -> tensor V) y (h : memory V) : Prop :=
  (y = 0 -> h x = Some (fresh (room [n; w]) None)) /\ (y <> 0 -> keeps x n w n (t (y - 1)) h).

(** A window that is computed before what reads it, in each iteration, and kept in between. *)
Lemma fills_gen_carried G X x n w lo hi N s (p q : Z -> statement V) b C place (t : Z -> Z -> tensor V) (f : Z -> tensor V -> tensor V) k :
  String.eqb x b = false -> apart G X x = true -> gives lo 0 -> gives hi N ->
  (forall y, (0 <=? y) = true -> (y <? N) = true ->
    turns G X x (p y) (ready x n w t y) (keeps x n w n (t y))) ->
  (forall y, (0 <=? y) = true -> (y <? N) = true ->
    forall z, fills (Known x [n; w] z :: G) X (q y) b s (fun l => C (y :: l)) (fun l => place (y :: l)) (f y z) k) ->
  fills G X (Alloc x [n; w] None (For lo hi (fun y => Seq (p y) (q y)))) b (N :: s) C place (gen N (fun y => let_in (gen n (t y)) (f y))) k.
Proof.
  intros Nx Dx E1 E2 Hp Hq D J h W Bf. apply String.eqb_neq in Nx. destruct (apart_names G X x Dx) as [Gx Xx].
  destruct (apart_names G X b D) as [_ Xb].
  set (m0 := fresh (room [n; w]) None : buffer V). set (h0 := put h x (Some m0)).
  assert (Eb : h0 b = h b) by (apply put_other; congruence).
  pose proof (world_put G X x h (Some m0) Dx W) as W0. fold h0 in W0.
  assert (Bf0 : forall l, live (N :: s) C l -> exists c, find h0 b (place l) = Some c /\ before A k c).
  { intros l L. destruct (Bf l L) as (c & Fd & B). exists c. rewrite (find_eq h0 h) by exact Eb. auto. }
  set (u := gen N (fun y => let_in (gen n (t y)) (f y))).
  assert (It : forall m, Z.of_nat m <= Z.max 0 N -> exists h',
    iterate m (fun j => run (Seq (p (0 + Z.of_nat j)) (q (0 + Z.of_nat j)))) h0 = Some h' /\
    outcome A h0 h' b ((x, room [n; w]) :: X) (first N s C (Z.of_nat m)) place u k /\
    (Z.of_nat m = 0 -> h' x = Some m0) /\ (Z.of_nat m <> 0 -> keeps x n w n (t (Z.of_nat m - 1)) h')).
  { induction m as [|m IH]; intros M.
    - exists h0. split; [reflexivity|]. split; [|split; [intros _; apply put_same|easy]].
      apply (outcome_iff A h0 h0 b _ (fun _ => False) _ place u u); [|reflexivity|apply outcome_none].
      intros l. split; [easy|]. intros [L H]. destruct (live_row N s C l L) as (i & l' & -> & I & _). cbn in H. lia.
    - destruct IH as (h1 & R1 & O1 & Z1 & K1); [lia|]. set (y := Z.of_nat m) in *.
      assert (I : 0 <= y < N) by lia. rewrite Nat2Z.inj_succ in *. fold y in M |- *.
      assert (W1 : world h1 G X).
      { apply (world_after A G ((x, room [n; w]) :: X) b h0 h1 _ _ _ _) in O1 as [Wa Wb].
        - split; [exact Wa|]. inversion Wb. assumption.
        - unfold apart in *. rewrite andb_true_iff, !forallb_forall in *. destruct D as [D1 D2], Dx as [D3 _]. split; [exact D1|].
          intros z [<-|Iz]; [|auto]. cbn. apply String.eqb_neq in Nx. rewrite Nx, andb_true_r. apply forallb_forall, D3.
        - split; [exact (proj1 W0)|]. constructor; [cbn; unfold h0; rewrite put_same; reflexivity|exact (proj2 W0)]. }
      assert (S : forall l l', first N s C y l -> row s C y l' -> place l <> place (y :: l')).
      { intros l l' [L H] L' E. rewrite (J l _ L (row_live N s C _ _ I L') E) in H. cbn in H. lia. }
      destruct (Hp y ltac:(apply Z.leb_le; lia) ltac:(apply Z.ltb_lt; lia) h1 W1) as (h2 & R2 & O2 & T2 & K2); [split; auto|].
      assert (Bf1 : forall l, row s C y l -> exists c, find h1 b (place (y :: l)) = Some c /\ before A k c).
      { intros l L. destruct (Bf0 (y :: l) (row_live N s C _ _ I L)) as (c & Fd & B). exists c. split; [|exact B].
        rewrite (frame _ _ _ _ _ _ _ _ _ O1); [exact Fd|]. intros l' L' E. exact (S l' l L' L E). }
      assert (Sx : option_map size (h2 x) = option_map size (h1 x)).
      { rewrite (proj1 K2). symmetry. destruct (Z.eq_dec y 0) as [Q|Q]; [rewrite (Z1 Q); reflexivity|exact (proj1 (K1 Q))]. }
      pose proof (Hq y ltac:(apply Z.leb_le; lia) ltac:(apply Z.ltb_lt; lia)) as Fq.
      destruct (let_run A G X (p y) (q y) x [n; w] (gen n (t y)) b s (fun l => C (y :: l)) (fun l => place (y :: l)) (f y) k
        (room [n; w]) h1 h2 Nx D Dx (row_injective N s C place J y I) W1 Bf1 R2 O2 Sx T2 (keeps_holds x n w _ _ K2) (Fq _))
        as (h3 & R3 & O3).
      assert (X3 : h3 x = h2 x).
      { cbn [Loops.run] in R3. rewrite R2 in R3. cbn [bind] in R3.
        destruct (Fq (gen n (t y)) (apart_more G X b x [n; w] _ D Dx Nx) (row_injective N s C place J y I) h2) as (h4 & R4 & O4).
        - assert (W2 : world h2 G X) by (apply (world_others G X x Dx h1); auto). split; [|exact (proj2 W2)].
          constructor; [exact (keeps_holds x n w _ _ K2)|exact (proj1 W2)].
        - intros l L. destruct (Bf1 l L) as (c & Fd & B). exists c. rewrite (find_eq h2 h1) by (apply O2; congruence || exact Xb). auto.
        - rewrite R4 in R3. injection R3 as <-. apply (others _ _ _ _ _ _ _ _ _ O4); [exact Nx|exact Xx]. }
      exists h3. split.
      { cbn [iterate]. rewrite R1. cbn [bind]. rewrite Z.add_0_l. exact R3. }
      split; [|split; [lia|]].
      + apply (outcome_iff A h0 h3 b _ (fun l => first N s C y l \/ exists v, l = y :: v /\ row s C y v) _ place u u); [|reflexivity|].
        * intros l. unfold first. split.
          -- intros [[L H]|(v & -> & L)]; [split; [exact L|lia]|]. split; [exact (row_live N s C _ _ I L)|cbn; lia].
          -- intros [L H]. destruct (live_row N s C l L) as (i & v & -> & Iw & Lw). cbn in H.
             destruct (Z.eq_dec i y) as [->|]; [right; exists v; auto|left; split; [exact L|cbn; lia]].
        * apply (outcome_union A h0 h1 h3); [|exact O1|].
          -- intros l l' L (v & -> & L'). exact (S l v L L').
          -- apply (outcome_image A h1 h3 b _ (row s C y) place (let_in (gen n (t y)) (f y))); [reflexivity|exact O3].
      + intros _. replace (Z.succ y - 1) with y by lia. destruct K2 as [Ka Kb]. split; [rewrite X3; exact Ka|].
        intros r i R Q. rewrite <- (Kb r i R Q). unfold load. rewrite (find_eq h3 h2) by exact X3. reflexivity. }
  destruct (It (Z.to_nat N)) as (h2 & R & O & _); [lia|].
  exists (put h2 x (h x)). split.
  - cbn [Loops.run] in R |- *. fold m0 h0. rewrite E1, E2. cbn [bind]. rewrite Z.sub_0_r, R. reflexivity.
  - apply (outcome_restore A h h2 (Some m0) x (room [n; w]) b X _ place u k Nx Xx eq_refl). fold h0.
    revert O. apply outcome_iff; [|reflexivity]. intros l. unfold first. split; [tauto|]. intros L. split; [exact L|].
    destruct (live_row N s C l L) as (i & v & -> & I & _). cbn. lia.
Qed.

(** The same where the statements stand one after the other, of which the first [c] are about the window. *)
Lemma fills_gen_window G X x n w lo hi N s c (r : Z -> statement V) b C place (t : Z -> Z -> tensor V) (f : Z -> tensor V -> tensor V) k :
  String.eqb x b = false -> apart G X x = true -> gives lo 0 -> gives hi N -> (forall y, longer c (r y) = true) ->
  (forall y, (0 <=? y) = true -> (y <? N) = true ->
    turns G X x (take c (r y)) (ready x n w t y) (keeps x n w n (t y))) ->
  (forall y, (0 <=? y) = true -> (y <? N) = true ->
    forall z, fills (Known x [n; w] z :: G) X (drop c (r y)) b s (fun l => C (y :: l)) (fun l => place (y :: l)) (f y z) k) ->
  fills G X (Alloc x [n; w] None (For lo hi r)) b (N :: s) C place (gen N (fun y => let_in (gen n (t y)) (f y))) k.
Proof.
  intros Nx Dx E1 E2 L Hp Hq.
  apply (fills_run A) with (q := Alloc x [n; w] None (For lo hi (fun y => Seq (take c (r y)) (drop c (r y))))).
  - intros h. cbn [Loops.run]. rewrite E1, E2. cbn [bind].
    rewrite (iterate_ext _ _ (fun j => run (regroup c (r (0 + Z.of_nat j))))); [reflexivity|].
    intros j h' _. apply run_regroup, L.
  - apply fills_gen_carried; assumption.
Qed.

Lemma turns_iteration G X x n m w (c : test) bg mv lo hi q y (t : Z -> Z -> tensor V) :
  apart G X x = true -> ((0 <=? w) && (0 <=? m)) && (n =? m + 1) = true -> decides c (y =? 0) -> gives lo (m * w) -> gives hi (n * w) ->
  ((y =? 0) = true -> fills G X bg x [m; w] all (flat [n; w]) (gen m (t y)) Unset) ->
  (negb (y =? 0) = true -> turns G X x mv (keeps x n w n (moved 0 (t (y - 1)))) (keeps x n w n (moved m (t (y - 1))))) ->
  (negb (y =? 0) = true -> forall r, (0 <=? r) = true -> (r <? m) = true -> teq [w] (t (y - 1) (r + 1)) (t y r)) ->
  fills G X q x [w] all (fun l => flat [n; w] (m :: l)) (t y m) Unset ->
  turns G X x (Seq (If c bg mv) (Seq (Forget x lo hi) q))
    (ready x n w t y) (keeps x n w n (t y)).
Proof.
  rewrite !andb_true_iff, !Z.leb_le, Z.eqb_eq. intros Dx [[W M] Q] D E1 E2 B Mv T F. subst n.
  replace m with (m + 1 - 1) in E1, F by lia.
  apply (turns_window A G X x (m + 1) w Dx W c bg mv lo hi q (t y) (y =? 0)); try assumption; try lia.
  - intros Y. replace (m + 1 - 1) with m by lia. specialize (B Y). apply Z.eqb_eq in Y.
    apply (turns_then G X x bg (fun h => h x = Some (fresh (room [m + 1; w]) None)) _ (keeps x (m + 1) w m (t y))); [intros h [Z0 _]; exact (Z0 Y)|auto|].
    apply (turns_begun A G X x (m + 1) w Dx); [lia|exact B].
  - intros Y. replace (m + 1 - 1) with m by lia. assert (Y' : negb (y =? 0) = true) by (rewrite Y; reflexivity).
    specialize (Mv Y'). specialize (T Y'). apply Z.eqb_neq in Y. revert Mv. apply turns_then.
    + intros h [_ K]. destruct (K Y) as [S H]. split; [exact S|]. intros r i R I. unfold moved.
      rewrite (proj2 (Z.ltb_ge _ _)) by lia. apply H; assumption.
    + intros h [S H]. split; [exact S|]. intros r i R I. rewrite (H r i) by lia. unfold moved. rewrite (proj2 (Z.ltb_lt _ _)) by lia.
      f_equal. apply (T r); [apply Z.leb_le; lia|apply Z.ltb_lt; lia|cbn; auto].
Qed.
(** The moves, one row after the other. *)
Lemma turns_row G X x n w lo hi lo' hi' (d e : Z -> int) (k k' : Z) (t : Z -> tensor V) : apart G X x = true ->
  ((0 <=? w) && (k' =? k + 1)) && ((0 <=? k) && (k' <? n)) = true ->
  gives lo (k * w) -> gives hi (k' * w) -> gives lo' 0 -> gives hi' w ->
  (forall i, (0 <=? i) = true -> (i <? w) = true -> gives (d i) (flat [n; w] [k; i])) ->
  (forall i, (0 <=? i) = true -> (i <? w) = true -> gives (e i) (flat [n; w] [k'; i])) ->
  turns G X x (Seq (Forget x lo hi) (For lo' hi' (fun i => Store x (d i) (Load x (e i))))) (keeps x n w n (moved k t)) (keeps x n w n (moved k' t)).
Proof.
  rewrite !andb_true_iff, Z.leb_le, Z.eqb_eq. intros Dx [[W ->] K]. apply turns_move; [exact Dx|exact W|]. rewrite andb_true_iff. exact K.
Qed.

Lemma turns_rows G X x n w lo hi lo' hi' (d e : Z -> int) (k k' : Z) (t : Z -> tensor V) q Q : apart G X x = true ->
  ((0 <=? w) && (k' =? k + 1)) && ((0 <=? k) && (k' <? n)) = true ->
  gives lo (k * w) -> gives hi (k' * w) -> gives lo' 0 -> gives hi' w ->
  (forall i, (0 <=? i) = true -> (i <? w) = true -> gives (d i) (flat [n; w] [k; i])) ->
  (forall i, (0 <=? i) = true -> (i <? w) = true -> gives (e i) (flat [n; w] [k'; i])) ->
  turns G X x q (keeps x n w n (moved k' t)) Q ->
  turns G X x (Seq (Forget x lo hi) (Seq (For lo' hi' (fun i => Store x (d i) (Load x (e i)))) q)) (keeps x n w n (moved k t)) Q.
Proof.
  rewrite !andb_true_iff, Z.leb_le, Z.eqb_eq. intros Dx [[W ->] K]. apply turns_moves; [exact Dx|exact W|]. rewrite andb_true_iff. exact K.
Qed.
End Carried.
