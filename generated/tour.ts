/** Made by `npm run generate` from docs/tour.arazzo.yaml: do not edit. */

/** The steps of the tour, each a request and the status of its answer. */
export const TOUR = [
  {
    "description": "List the projects. A new service has one.",
    "operationId": "listProjects",
    "method": "GET",
    "address": "/projects",
    "headers": [],
    "body": null,
    "status": 200
  },
  {
    "description": "Create a skill that queries a database.",
    "operationId": "createSkill",
    "method": "POST",
    "address": "/projects/default/skills",
    "headers": [
      "Content-Type: application/json"
    ],
    "body": "{ \"skill\": { \"name\": \"lookup\", \"type\": \"sql\", \"params\": { \"database\": \"sales\", \"tables\": [ \"orders\" ] } } }",
    "status": 201
  },
  {
    "description": "Create an agent that uses the skill.",
    "operationId": "createAgent",
    "method": "POST",
    "address": "/projects/default/agents",
    "headers": [
      "Content-Type: application/json"
    ],
    "body": "{ \"agent\": { \"name\": \"advisor\", \"skills\": [ \"lookup\" ] } }",
    "status": 201
  },
  {
    "description": "List the skills of the agent.",
    "operationId": "listSkills",
    "method": "GET",
    "address": "/projects/default/skills?agent=advisor",
    "headers": [],
    "body": null,
    "status": 200
  },
  {
    "description": "Put the agent in front of people, as a chatbot.",
    "operationId": "updateChatbot",
    "method": "PUT",
    "address": "/projects/default/chatbots/desk",
    "headers": [
      "Content-Type: application/json"
    ],
    "body": "{ \"chatbot\": { \"agent_name\": \"advisor\" } }",
    "status": 201
  },
  {
    "description": "Train a model that predicts the price of diamonds.",
    "operationId": "trainModel",
    "method": "PUT",
    "address": "/api/projects/default/models/prices?target=price",
    "headers": [
      "Content-Type: text/csv"
    ],
    "body": "the rows of datasets/diamonds.csv",
    "status": 202
  },
  {
    "description": "Get the model, and repeat this until it is ready.",
    "operationId": "getModel",
    "method": "GET",
    "address": "/api/projects/default/models/prices",
    "headers": [],
    "body": null,
    "status": 200
  },
  {
    "description": "Predict a row. The price comes with an interval.",
    "operationId": "predict",
    "method": "POST",
    "address": "/api/projects/default/models/prices/predict",
    "headers": [
      "Content-Type: application/json"
    ],
    "body": "[ { \"carat\": 0.7, \"cut\": \"Ideal\", \"color\": \"G\", \"clarity\": \"VS2\", \"depth\": 61.7, \"table\": 56, \"x\": 5.69, \"y\": 5.73, \"z\": 3.52 } ]",
    "status": 200
  },
  {
    "description": "Predict the rows of a file.",
    "operationId": "predict",
    "method": "POST",
    "address": "/api/projects/default/models/prices/predict",
    "headers": [
      "Content-Type: text/csv",
      "Accept: text/csv"
    ],
    "body": "carat,cut,color,clarity,depth,table,price,x,y,z\n0.23,Ideal,E,SI2,61.5,55,326,3.95,3.98,2.43\n0.23,Very Good,H,VS1,61,57,353,3.94,3.96,2.41\n0.23,Very Good,D,VS2,60.5,61,357,3.96,3.97,2.4",
    "status": 200
  },
  {
    "description": "Delete the agent.",
    "operationId": "deleteAgent",
    "method": "DELETE",
    "address": "/projects/default/agent/advisor",
    "headers": [],
    "body": null,
    "status": 204
  },
  {
    "description": "Get the chatbot, which now has no agent.",
    "operationId": "getChatbot",
    "method": "GET",
    "address": "/projects/default/chatbots/desk",
    "headers": [],
    "body": null,
    "status": 200
  },
  {
    "description": "Send an invalid skill. The problem names each field and says how to fix it.",
    "operationId": "createSkill",
    "method": "POST",
    "address": "/projects/default/skills",
    "headers": [
      "Content-Type: application/json"
    ],
    "body": "{ \"skill\": { \"name\": \"two words\", \"colour\": \"red\" } }",
    "status": 400
  }
] as const;
