import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

class Solution {
    private record Stop(int visited, int place) {
    }

    private record Tour(int minute, Stop at, List<Integer> places) implements Comparable<Tour> {
        Tour onTo(int place, int arrival) {
            List<Integer> longer = new ArrayList<>(places);
            longer.add(place);
            return new Tour(arrival, new Stop(at.visited() | 1 << place, place), longer);
        }

        @Override
        public int compareTo(Tour other) {
            int order = Integer.compare(minute, other.minute);
            for (int i = 0; order == 0 && i < places.size(); i++) {
                order = places.get(i).compareTo(other.places.get(i));
            }
            return order;
        }
    }

    public static List<Integer> messengerDeadlineTour(
            List<List<Integer>> minutes, List<Integer> deadlines) {
        Collection<Tour> tours = List.of(new Tour(0, new Stop(1, 0), List.of()));
        while (true) {
            Map<Stop, Tour> longer = new HashMap<>();
            for (Tour tour : tours) {
                for (int place = 1; place < deadlines.size(); place++) {
                    int arrival = tour.minute() + minutes.get(tour.at().place()).get(place);
                    boolean seen = (tour.at().visited() & 1 << place) != 0;
                    if (!seen && arrival <= deadlines.get(place)) {
                        Tour next = tour.onTo(place, arrival);
                        longer.merge(next.at(), next, (a, b) -> a.compareTo(b) <= 0 ? a : b);
                    }
                }
            }
            if (longer.isEmpty()) {
                return Collections.min(tours).places();
            }
            tours = longer.values();
        }
    }
}
