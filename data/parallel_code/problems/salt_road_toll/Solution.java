import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

class Solution {
    private record Place(int town, int used) {
    }

    private record Trip(int paid, Place place) {
    }

    public static List<Integer> saltRoadToll(
            int towns, List<List<Integer>> roads, int waivers, int start, int goal) {
        PriorityQueue<Trip> queue = new PriorityQueue<>(
                Comparator.comparingInt(Trip::paid).thenComparingInt(trip -> trip.place().used()));
        Set<Place> settled = new HashSet<>();
        queue.add(new Trip(0, new Place(start, 0)));
        while (!queue.isEmpty()) {
            Trip trip = queue.remove();
            int town = trip.place().town();
            int used = trip.place().used();
            if (town == goal) {
                return List.of(trip.paid(), used);
            }
            if (!settled.add(trip.place())) {
                continue;
            }
            for (List<Integer> road : roads) {
                if (road.get(0) != town && road.get(1) != town) {
                    continue;
                }
                int next = road.get(0) == town ? road.get(1) : road.get(0);
                queue.add(new Trip(trip.paid() + road.get(2), new Place(next, used)));
                if (used < waivers) {
                    queue.add(new Trip(trip.paid(), new Place(next, used + 1)));
                }
            }
        }
        return List.of(-1, -1);
    }
}
