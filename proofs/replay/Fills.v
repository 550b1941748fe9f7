(** Statements: that they put a term into a buffer, replayed.

    [fill] follows the steps along statement and term at once; that what it accepts is so, is proved in [Filled.v]. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Updates.
Import ListNotations.
Open Scope Z_scope.

(** * Replaying *)
Definition same_ring (a : nat) (to : target) : bool := Nat.eqb a (ring to).

(** What cells begin as, for a new lifetime. *)
Definition beginning (a : nat) (init : option constant) : option kind :=
  match init with
  | None => Some Unset
  | Some (CZero b) => if Nat.eqb a b then Some Zeroed else None
  | _ => None
  end.

Fixpoint fill (h : how) (g : goal) (to : target) (s us : list term) (p : loop_word) (vs : list term) (ks : list nat) (o : part) (t : tensor_word)
    {struct h} : bool :=
  let shut := close (deep g) vs in
  let shut_predicate := close_predicate (deep g) vs in
  let own w := close (deep g) us (index_term w) in
  match h with
  | Stored reads cell kept r =>
      match o, s, p with
      | None, [], LStore b i v =>
          String.eqb b (into to) && negb (is_adding (held_before to)) && spent (index_ok g us i reads) &&
          equals g (own i) (cell_term (extents to) (layers to) []) cell && shown g (kept_term (layers to) []) kept && reads_ok g us vs ks v t r
      | None, [], LUpdate a b i v =>
          String.eqb b (into to) && is_adding (held_before to) && same_ring a to && spent (index_ok g us i reads) &&
          equals g (own i) (cell_term (extents to) (layers to) []) cell && shown g (kept_term (layers to) []) kept && reads_ok g us vs ks v t r
      | _, _, _ => false
      end
  | Loop extent reads lo reads' hi h =>
      match s, p, t with
      | n' :: s, LFor l u q, EGen n t =>
          let n := extent_of (deep g) vs o n in
          equals g n' n extent && spent (index_ok g us l reads) && equals g (own l) (Lit 0) lo &&
          spent (index_ok g us u reads') && equals g (own u) n hi &&
          fill h (iterating n g) (under_layer (Row (Free 0)) (lift_target to)) (map lift s) (Free 0 :: map lift us) q
            (variable_of o (Free 0) :: map lift vs) ks None t
      | _, _, _ => false
      end
  | Once e h =>
      match s, t with
      | n :: s, EGen _ t => equals g n (Lit 1) e && fill h g (under_layer (Row (Lit 0)) to) s us p (variable_of o (Lit 0) :: vs) ks None t
      | _, _ => false
      end
  | Never e => match s, p, t with n :: _, LSkip, EGen _ _ => equals g n (Lit 0) e | _, _, _ => false end
  | Written n e ps =>
      match o, s, t with
      | None, n' :: s, EGen _ t => equals g n' (Lit n) e && fill_pieces ps g to s us p vs ks t 0 n
      | _, _, _ => false
      end
  | Cutting extent [r1; r2; r3; r4] lo middle each lane order h z =>
      match s, p, t with
      | n' :: s, LSeq (LFor l u q) (LFor l' u' (LIf c q' LSkip)), EGen n t =>
          let n := extent_of (deep g) vs o n in
          let m := own u in
          let to := under_layer (Row (Free 0)) (lift_target to) in
          let us' := Free 0 :: map lift us in
          let vs' := variable_of o (Free 0) :: map lift vs in
          equals g n' n extent && spent (index_ok g us l r1) && equals g (own l) (Lit 0) lo && spent (index_ok g us u r2) &&
          spent (index_ok g us l' r3) && equals g (own l') m middle && spent (index_ok g us u' r4) &&
          spent (test_ok (entered g) us' c each) &&
          alike (entered g) (close_predicate (deep (entered g)) us' (test_term c)) (Cmp Lt (Free 0) (lift n)) lane &&
          shown g (And (And (le_ (Lit 0) m) (le_ m n)) (le_ n (own u'))) order &&
          fill h (assuming (Cmp Lt (Free 0) (lift m)) (iterating n g)) to (map lift s) us' q vs' ks None t &&
          fill z (assuming (Not (Cmp Lt (Free 0) (lift m))) (iterating n g)) to (map lift s) us' q' vs' ks None t
      | _, _, _ => false
      end
  | Resting extent [r1; r2] lo each lane order h =>
      match s, p, t with
      | n' :: s, LFor l u (LIf c q LSkip), EGen n t =>
          let n := extent_of (deep g) vs o n in
          let us' := Free 0 :: map lift us in
          equals g n' n extent && spent (index_ok g us l r1) && equals g (own l) (Lit 0) lo && spent (index_ok g us u r2) &&
          spent (test_ok (entered g) us' c each) &&
          alike (entered g) (close_predicate (deep (entered g)) us' (test_term c)) (Cmp Lt (Free 0) (lift n)) lane &&
          shown g (And (le_ (Lit 0) n) (le_ n (own u))) order &&
          fill h (iterating n g) (under_layer (Row (Free 0)) (lift_target to)) (map lift s) us' q
            (variable_of o (Free 0) :: map lift vs) ks None t
      | _, _, _ => false
      end
  | Cutting _ _ _ _ _ _ _ _ _ | Resting _ _ _ _ _ _ _ => false
  | Summed reads lo reads' hi h =>
      match o, p, t with
      | None, LFor l u q, ESum a n t =>
          same_ring a to && negb (is_unset (held_before to)) &&
          (if is_adding (held_before to) then has_law g a Add_0_r && has_law g a Add_assoc else true) &&
          spent (index_ok g us l reads) && equals g (own l) (Lit 0) lo && spent (index_ok g us u reads') && equals g (own u) (shut n) hi &&
          fill h (iterating (shut n) g) (adding (lift_target to)) (map lift s) (Free 0 :: map lift us) q (Free 0 :: map lift vs) ks None t
      | _, _, _ => false
      end
  | Summed_once e h =>
      match o, t with
      | None, ESum a n t =>
          same_ring a to && negb (is_unset (held_before to)) &&
          (if is_adding (held_before to) then has_law g a Add_0_r && has_law g a Add_assoc else true) &&
          equals g (shut n) (Lit 1) e && fill h g (adding to) s us p (Lit 0 :: vs) ks None t
      | _, _ => false
      end
  | Guarded reads e dropped h =>
      match o, p, t with
      | None, LIf q p' LSkip, EGuard a c t =>
          same_ring a to && conditioned g to s us q (shut_predicate c) reads e dropped &&
          fill h (assuming (shut_predicate c) g) to s us p' vs ks None t
      | _, _, _ => false
      end
  | Switched reads e dropped h =>
      match p, t with
      | LIf q p' LSkip, EGen n (EGuard a c t) =>
          let c' := close_predicate (deep g) (Lit 0 :: vs) c in
          same_ring a to && negb (asks 0 c) && conditioned g to s us q c' reads e dropped &&
          fill h (assuming c' g) to s us p' vs ks o (EGen n t)
      | _, _ => false
      end
  | Guarded_else reads e h z =>
      match o, s, p, t with
      | None, [], LIf q p' z', EGuard a c t =>
          same_ring a to && spent (test_ok g us q reads) && alike g (close_predicate (deep g) us (test_term q)) (shut_predicate c) e &&
          fill h (assuming (shut_predicate c) g) to [] us p' vs ks None t &&
          fill z (assuming (Not (shut_predicate c)) g) to [] us z' vs ks None (EConst (CZero a))
      | _, _, _, _ => false
      end
  | Guarded_true e h =>
      match o, t with
      | None, EGuard a c t => same_ring a to && shown g (shut_predicate c) e && fill h g to s us p vs ks None t
      | _, _ => false
      end
  | Guarded_false e =>
      match o, p, t with
      | None, LSkip, EGuard a c t => same_ring a to && padding g to && denied g (shut_predicate c) e
      | _, _, _ => false
      end
  | Selected reads e h z =>
      match o, p, t with
      | None, LIf q p' z', ESelect c t u =>
          spent (test_ok g us q reads) && alike g (close_predicate (deep g) us (test_term q)) (shut_predicate c) e &&
          fill h (assuming (shut_predicate c) g) to s us p' vs ks None t &&
          fill z (assuming (Not (shut_predicate c)) g) to s us z' vs ks None u
      | _, _, _ => false
      end
  | Selected_true e h =>
      match o, t with None, ESelect c t _ => shown g (shut_predicate c) e && fill h g to s us p vs ks None t | _, _ => false end
  | Selected_false e h =>
      match o, t with None, ESelect c _ u => denied g (shut_predicate c) e && fill h g to s us p vs ks None u | _, _ => false end
  | Added count h z =>
      match o, t with
      | None, EPlus a t u =>
          same_ring a to && more_words count p &&
          match held_before to with Unset => false | Zeroed => has_law g a Add_0_l | Adding => has_law g a Add_assoc end &&
          fill h g (adding to) s us (first_words count p) vs ks None t && fill z g (adding to) s us (last_words count p) vs ks None u
      | _, _ => false
      end
  | Let_new a r same count m h =>
      match o, p, t with
      | None, LAlloc x r' init q, ELet t u =>
          more_words count q && same_extents g (map (close (deep g) us) r') r same && negb (String.eqb x (into to)) && apart_word g x &&
          match beginning a init with
          | Some k => fill m g (Target x a r [] k) r us (first_words count q) vs ks None t
          | None => false
          end &&
          fill h (holding (Some (x, r, None)) g) to s us (last_words count q) vs (0%nat :: map Datatypes.S ks) None u
      | _, _, _ => false
      end
  | Let_there a r same count m h =>
      match o, p, t with
      | None, LSeq (LReset x init) q, ELet t u =>
          let others := filter (fun z => negb (String.eqb (fst z) x)) (spare g) in
          let g' := sparing others g in
          more_words count q && negb (String.eqb x (into to)) && apart_word g' x &&
          match List.find (fun z => String.eqb (fst z) x) (spare g) with Some (_, r') => same_room g r' r same | None => false end &&
          match beginning a init with
          | Some k => fill m g' (Target x a r [] k) r us (first_words count q) vs ks None t
          | None => false
          end &&
          fill h (holding (Some (x, r, None)) g') to s us (last_words count q) vs (0%nat :: map Datatypes.S ks) None u
      | _, _, _ => false
      end
  | Let_unread h =>
      match o, t with
      | None, ELet _ u => fill h (holding None g) to s us p vs (0%nat :: map Datatypes.S ks) None u
      | _, _ => false
      end
  | Reshaped stay e h =>
      match o, t with
      | None, EOp a x _ t =>
          let x := close_operator shut x in
          match reshaping (held_before to) x s with
          | Some (asked, r, ls, pads) =>
              same_ring a to && same_extents g (firstn (List.length (staying x)) s) (staying x) stay && shown g asked e && (if pads then padding g to else true) &&
              fill h g (fold_right under_layer to ls) r us p vs ks None t
          | None => false
          end
      | _, _ => false
      end
  | Joined count e h z =>
      match o, s, t with
      | None, r :: s, EConcat a _ n m t u =>
          same_ring a to && more_words count p &&
          shown g (And (eq_ r (Op Add (shut n) (shut m))) (And (le_ (Lit 0) (shut n)) (le_ (Lit 0) (shut m)))) e &&
          fill h g to (shut n :: s) us (first_words count p) vs ks None t &&
          fill z g (under_layer (Raised (shut n)) to) (shut m :: s) us (last_words count p) vs ks None u
      | _, _, _ => false
      end
  | Spared h =>
      match p with
      | LAlloc x r _ q =>
          negb (String.eqb x (into to)) && apart_word g x &&
          fill h (sparing ((x, map (close (deep g) us) r) :: spare g) g) to s us q vs ks o t
      | _ => false
      end
  | Either reads h z =>
      match p with
      | LIf q p' z' =>
          let c := close_predicate (deep g) us (test_term q) in
          spent (test_ok g us q reads) && fill h (assuming c g) to s us p' vs ks o t && fill z (assuming (Not c) g) to s us z' vs ks o t
      | _ => false
      end
  | Carried a m count rows extent [r1; r2; r3; r4; r5] lo hi sizes first bottom top hb hl ms h =>
      match o, s, p, t with
      | None, n' :: s, LAlloc x [n1; w1] None (LFor l u q), EGen n (ELet (EGen _ row) t) =>
          let n := shut n in
          let g' := iterating n g in
          let us' := Free 0 :: map lift us in
          let vs' := Free 0 :: map lift vs in
          let w := lift (close (deep g) us w1) in
          let own' i := close (deep g') us' (index_term i) in
          let is_first := Cmp Eq (Free 0) (Lit 0) in
          equals g (close (deep g) us n1) (Lit (m + 1)) rows && equals g n' n extent && negb (String.eqb x (into to)) && apart_word g x &&
          spent (index_ok g us l r1) && equals g (own l) (Lit 0) lo && spent (index_ok g us u r2) && equals g (own u) n hi && more_words count q &&
          match first_words count q with
          | LSeq (LIf b bg mv) (LSeq (LForget x' lf uf) last) =>
              String.eqb x' x && shown g' (And (And (Cmp Le (Lit 0) w) (Cmp Le (Lit 0) (Lit m))) (Cmp Eq (Lit (m + 1)) (Op Add (Lit m) (Lit 1)))) sizes &&
              spent (test_ok g' us' b r3) && alike g' (close_predicate (deep g') us' (test_term b)) is_first first &&
              spent (index_ok g' us' lf r4) && equals g' (own' lf) (Op Mul (Lit m) w) bottom &&
              spent (index_ok g' us' uf r5) && equals g' (own' uf) (Op Mul (Lit (m + 1)) w) top &&
              fill hb (assuming is_first g') (Target x a [Lit (m + 1); w] [] Unset) [Lit m; w] us' bg vs' ks None (EGen (Lit m) row) &&
              rows_ok (assuming (Not is_first) g') us' x (m + 1) w mv 0 ms &&
              agree (S (deep g')) (Op Add (Free 0) (Lit 1) :: Op Sub (Free 1) (Lit 1) :: map lift (map lift vs))
                (Free 0 :: Free 1 :: map lift (map lift vs)) row &&
              fill hl g' (Target x a [Lit (m + 1); w] [Row (Lit m)] Unset) [w] us' last (Lit m :: vs') ks None row
          | _ => false
          end &&
          fill h (holding (Some (x, [Lit (m + 1); w], None)) g') (under_layer (Row (Free 0)) (lift_target to)) (map lift s) us' (last_words count q) vs'
            (0%nat :: map Datatypes.S ks) None t
      | _, _, _, _ => false
      end
  | Carried _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ => false
  | Replaced _ _ _ _ | Pointed _ _ _ _ _ | Pointed_if _ _ _ _ _ _ | Swept _ _ _ _ _ _ _ _ _ _ _ | Selected_other _ _ _ _ | Stays _ _ | Unheld _ => false
  | Iterated ss reads lo reads' hi ms h =>
      match o, t with
      | None, EIterate n k' sw u =>
          let k := how_many sw in
          let n := shut n in
          match homes_of ss g to s us false with
          | Some (hs, g', used) =>
              match begin ss hs g' (into to) us p vs ks sw with
              | Some (_, rest) =>
                  let (first, last) := split_words 1 rest in
                  match first with
                  | LFor l u' q =>
                      let hs' := map lift_cells hs in
                      let entries r hs := rev (map (fun x => Some (home_entry x r)) hs) in
                      let around := map (option_map lift_entry) (tensors g') in
                      let gr := knowing (repeat None k ++ entries (Free 0) hs' ++ around) (assuming True_ (iterating n g')) in
                      let ga := knowing (entries (Op Max n (Lit 0)) hs ++ tensors g') g' in
                      let ks' := seq 0 k ++ map (Nat.add k) ks in
                      Nat.eqb (S k') k && is_closed n &&
                      spent (index_ok g us l reads) && equals g (own l) (Lit 0) lo && spent (index_ok g us u' reads') && equals g (own u') n hi &&
                      match turn ms hs' k gr (Free 0 :: map lift us) q (Free 0 :: map lift vs) ks sw with
                      | Some (ge, LSkip) =>
                          list_eqb (option_eqb entry_eqb) (firstn k (tensors ge)) (entries (Op Add (Free 0) (Lit 1)) hs') &&
                          list_eqb (option_eqb entry_eqb) (skipn (k + k) (tensors ge)) around
                      | _ => false
                      end &&
                      if used then
                        match h, last with
                        | Stays row e, LSkip =>
                            let r := List.length s in
                            let to' := times r lift_target to in
                            negb (is_adding (held_before to)) && forallb keeps_each (layers to) &&
                            same_cell (among ga s) (into to) (cell_term (extents to') (layers to') (new_indices r)) (times r (map lift) vs) ks' u
                              (new_indices r) row e
                        | _, _ => false
                        end
                      else apart_word ga (into to) && fill h ga to s us last vs ks' None u
                  | _ => false
                  end
              | None => false
              end
          | None => false
          end
      | _, _ => false
      end
  end
with fill_pieces (ps : pieces) (g : goal) (to : target) (s us : list term) (p : loop_word) (vs : list term) (ks : list nat) (t : tensor_word)
    (at_ r : Z) {struct ps} : bool :=
  match ps with
  | Last h => fill h g (under_layer (From at_) to) (Lit r :: s) us p vs ks (Some (at_, r)) (EGen (Lit r) t)
  | More w count h ps =>
      (0 <=? w) && (w <=? r) && more_words count p &&
      fill h g (under_layer (From at_) to) (Lit w :: s) us (first_words count p) vs ks (Some (at_, w)) (EGen (Lit w) t) &&
      fill_pieces ps g to s us (last_words count p) vs ks t (at_ + w) (r - w)
  end
(** The states before the first round, one after the other, and the statements after that. *)
with begin (ss : beginnings) (hs : list cells_word) (g : goal) (out : string) (us : list term) (p : loop_word) (vs : list term) (ks : list nat) (sw : state_words)
    {struct ss} : option (goal * loop_word) :=
  match ss, hs, sw with
  | Begun, [], SNone => Some (g, p)
  | Begins filled a b _ _ _ _ count h ss, x :: hs, SState t _ sw =>
      let (first, rest) := split_words count p in
      let d := of_state x in
      if apart_word g b && String.eqb b (of_buffer x) &&
        (if filled then
           match first with
           | LSeq (LReset y init) q =>
               String.eqb y b && negb (String.eqb b out) && is_whole x &&
               match beginning a init with Some k => fill h g (Target b a d [] k) d us q vs ks None t | None => false end
           | _ => false
           end
         else update h g (begins_as x) [] d us first vs ks t)
      then begin ss hs (holding (Some (home_entry x (Lit 0))) g) out us rest vs (map S ks) sw
      else None
  | _, _, _ => None
  end.
